import { Fault } from '../kernel/errors.ts';
import { describeIssues } from '../kernel/json-schema.ts';
import type { CallContext, Handler } from '../kernel/ports.ts';
import { createValidatorCache } from '../kernel/validator-cache.ts';
import type { Family, FamilySource } from '../model/registration.ts';
import type { Source } from '../model/source.ts';
import type { Handlers } from '../registry/layer.ts';
import { sourceOfHandler } from '../registry/source-tools.ts';
import { requireAccount } from './accounts.ts';
import type { SourcesContext } from './context.ts';
import { findInstructions, textsIn } from './find-instructions.ts';
import { requireSource } from './read-source.ts';

type Args = Readonly<Record<string, unknown>>;
type ToolVersion = CallContext['tool'];

/** Adds a handler for every source, `source:<name>`, of whichever tenant calls. */
export const withSources = (handlers: Handlers, context: () => SourcesContext | undefined): Handlers => ({
  builtin: handlers.builtin,
  internal: new SourceHandlers(handlers.internal, context),
});

class SourceHandlers extends Map<string, Handler> {
  readonly #known: ReadonlyMap<string, Handler>;
  readonly #handler: Handler;

  constructor(known: ReadonlyMap<string, Handler>, context: () => SourcesContext | undefined) {
    super(known);
    // Kept to be queried by `get`: it may be a subclass that creates handlers by name, such as those of plans.
    this.#known = known;
    this.#handler = createSourceHandler(context);
  }

  override get(name: string): Handler | undefined {
    return sourceOfHandler(name) === undefined ? this.#known.get(name) : this.#handler;
  }

  override has(name: string): boolean {
    return sourceOfHandler(name) !== undefined || this.#known.has(name);
  }
}

const createSourceHandler = (contextOf: () => SourcesContext | undefined): Handler => {
  const validators = createValidatorCache(2000);
  const contextHere = (): SourcesContext => {
    const context = contextOf();
    if (context) return context;
    throw new Fault('Unavailable', 'this process reaches no sources');
  };
  const familyOf = async (tenant: string, { name }: ToolVersion): Promise<Family & { source: FamilySource }> => {
    const { catalog } = await contextHere().catalogs.of(tenant);
    const family = catalog.get(name)?.family;
    if (family?.source) return { ...family, source: family.source };
    throw new Fault('Unavailable', `${name} no longer belongs to a source`, { tool: name });
  };
  const sourceOf = (tenant: string, name: string): Source | Promise<Source> => {
    const { table, sources } = contextHere();
    return sources.recent(tenant, name, () => requireSource(table, tenant, name));
  };
  return {
    // Its definitions are written only by refreshes, and they state the permission.
    permission: 'safe',
    async check(args, tenant, tool, keyId) {
      const family = await familyOf(tenant, tool);
      requireApproved(family, tool, args, validators);
      const source = await sourceOf(tenant, family.source.name);
      if (source.accounts) await requireAccount(contextHere().sources.accounts, tenant, source, keyId);
    },
    async run(args, call) {
      const { source } = await familyOf(call.tenant, call.tool);
      const { sources } = contextHere();
      const upstream = sources.upstream(call.tenant, await sourceOf(call.tenant, source.name));
      const output = await upstream.call(source.tool, args, call);
      const signs = findInstructions(textsIn(output));
      if (signs.length > 0)
        call.log.warn('a source’s result reads like instructions', {
          tool: call.tool.name,
          source: source.name,
          signs,
        });
      return output;
    },
  };
};

/** Requires that the version is approved, and that the arguments fit the upstream's latest version as well. */
const requireApproved = (
  family: Family & { source: FamilySource },
  { name, version }: ToolVersion,
  args: Args,
  validators: ReturnType<typeof createValidatorCache>,
): void => {
  const { seen, waiting } = family.source;
  const about = { tool: name, version, source: family.source.name, seen };
  if (waiting.includes(version))
    throw new Fault(
      'SourceDrifted',
      `${name} ${version} waits for approval; call version ${family.default_version}`,
      about,
    );
  if (seen === undefined || seen === version) return;
  const last = family.versions.find((record) => record.version === seen);
  if (!last) return;
  const { issues } = validators(last.digest, last.spec.parameters)(args);
  if (issues.length > 0)
    throw new Fault(
      'SourceDrifted',
      `${name} has changed at its source: ${version} is approved, and the source has ${seen}, which refuses these ` +
        `arguments (${describeIssues(issues)}); approve ${seen} with POST /v1/sources/${family.source.name}/approve, ` +
        'or change the arguments',
      { ...about, issues },
    );
};
