import { Fault } from '../kernel/errors.ts';
import type { Invocation } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { Catalog } from '../registry/catalog.ts';
import type { RegistryContext } from '../registry/context.ts';
import { resolveVersion } from '../registry/versions.ts';
import { requireEntry } from '../registry/visible-entry.ts';
import type { Call, CallLayer, Next, Ran } from './call.ts';

/** The version a call means; a tool that is not among the key's tools is as unknown as one that does not exist. */
export const resolveTool = async (
  context: RegistryContext,
  actor: Actor,
  { name, version }: Invocation,
): Promise<VersionRecord> => {
  const found = context.catalogs.of(actor.tenant);
  const { catalog } = found instanceof Promise ? await found : found;
  const entry = requireEntry(catalog, actor, name);
  const record = version === undefined ? entry.record : resolveVersion(entry.family, version);
  if (record) return record;
  throw new Fault('NotFound', `${name} has no version ${version}; it has ${entry.registration.versions.join(', ')}`, {
    tool: name,
    version,
  });
};

/** Refuses tools that are switched off and versions that were given up. */
export const refuseUnrunnable: CallLayer = (context, call, next) => {
  const found = context.catalogs.of(call.actor.tenant);
  if (found instanceof Promise) return found.then(({ catalog }) => runIfEnabled(catalog, call, next));
  return runIfEnabled(found.catalog, call, next);
};

const runIfEnabled = (catalog: Catalog, call: Call, next: Next): Promise<Ran> => {
  const { name } = call.record.spec;
  if (catalog.get(name)?.family.enabled === false)
    throw new Fault('Unavailable', `${name} is disabled; enable it before calling it`, { tool: name });
  const { deprecated, version } = call.record;
  if (deprecated === undefined) return next(call);
  const why = deprecated === true ? '' : ` (${deprecated})`;
  throw new Fault('Unavailable', `${name} ${version} is deprecated${why}; call another version`, {
    tool: name,
    version,
  });
};
