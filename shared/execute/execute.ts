import { Fault, messageOf } from '../errors.ts';
import type { Invocation, Outcome } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { CallExtras } from '../ports.ts';
import { unknownTool } from '../registry/change-tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import { stricter } from '../registry/layer.ts';
import { resolveVersion } from '../registry/versions.ts';
import { handlerOf, runHandler } from './run-handler.ts';
import type { CheckArguments } from './validate.ts';

export interface ExecuteContext extends RegistryContext {
  readonly checkArguments: CheckArguments;
}

const DEFAULT_TIMEOUT_SECONDS = 60;

/** Runs a tool: finds the version, checks the arguments and the permission, and tells what came of it. */
export const executeTool = async (
  context: ExecuteContext,
  actor: Actor,
  invocation: Invocation,
  signal?: AbortSignal,
  extras: CallExtras = {},
): Promise<Outcome> => {
  const record = await resolveTool(context, actor, invocation);
  const args = context.checkArguments(record, invocation.arguments ?? {});
  const handler = handlerOf(record, context.handlers());
  const permission = stricter(handler.permission, record.spec.permission ?? 'safe');
  if (permission !== 'safe')
    throw new Fault('Forbidden', `${record.spec.name} is a ${permission} tool, and consent cannot be given here`, {
      tool: record.spec.name,
      permission,
    });

  const callId = context.clock.newId();
  const started = context.clock.now();
  const about = { call_id: callId, tool: record.spec.name, version: record.version, cached: false, charged_micros: 0 };
  const call = {
    tenant: actor.tenant,
    callId,
    log: context.log,
    tool: { name: record.spec.name, version: record.version },
    ...(signal === undefined ? {} : { signal }),
    ...extras,
  };
  const timeoutMs = (record.spec.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  try {
    const output = await runHandler(handler, args, call, timeoutMs);
    return { ...about, status: 'ok', output, duration_ms: context.clock.now() - started };
  } catch (error) {
    const type = error instanceof Error ? error.name : 'Error';
    return {
      ...about,
      status: 'failed',
      error: { type, message: messageOf(error) },
      duration_ms: context.clock.now() - started,
    };
  }
};

/** The version a call means, refused when the tool is disabled or not among the key's tools. */
const resolveTool = async (
  context: RegistryContext,
  actor: Actor,
  { name, version }: Invocation,
): Promise<VersionRecord> => {
  const { catalog } = await context.catalogs.of(actor.tenant);
  const entry = catalog.get(name);
  if (!entry || (actor.tools && !actor.tools.has(name))) throw unknownTool(name, actor.tools ?? catalog.names());
  if (!entry.family.enabled)
    throw new Fault('Unavailable', `${name} is disabled; enable it before calling it`, { tool: name });
  const record = version === undefined ? entry.record : resolveVersion(entry.family, version);
  if (record) return record;
  throw new Fault('NotFound', `${name} has no version ${version}; it has ${entry.registration.versions.join(', ')}`, {
    tool: name,
    version,
  });
};
