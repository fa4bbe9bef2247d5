import { Fault } from '../kernel/errors.ts';
import type { Invocation } from '../model/call.ts';
import type { Actor } from '../model/key.ts';
import type { VersionRecord } from '../model/registration.ts';
import type { RegistryContext } from '../registry/context.ts';
import { resolveVersion } from '../registry/versions.ts';
import { requireEntry } from '../registry/visible-entry.ts';
import type { CallLayer } from './call.ts';

export interface Resolved {
  readonly record: VersionRecord;
  readonly isEnabled: boolean;
  readonly disabledReason?: string | undefined;
}

/** The version that a call refers to; a tool outside the key's tools is reported as unknown. */
export const resolveTool = async (
  context: RegistryContext,
  actor: Actor,
  { name, version }: Invocation,
): Promise<Resolved> => {
  const found = context.catalogs.of(actor.tenant);
  const { catalog } = found instanceof Promise ? await found : found;
  const entry = requireEntry(catalog, actor, name);
  const record = version === undefined ? entry.record : resolveVersion(entry.family, version);
  const { enabled: isEnabled, disabled_reason: disabledReason } = entry.family;
  if (record) return { record, isEnabled, disabledReason };
  throw new Fault('NotFound', `${name} has no version ${version}; it has ${entry.registration.versions.join(', ')}`, {
    tool: name,
    version,
  });
};

/** Refuses disabled tools and deprecated versions. */
export const refuseUnrunnable: CallLayer = (_, call, next) => {
  const { name } = call.record.spec;
  if (!call.isEnabled)
    throw new Fault(
      'Unavailable',
      `${name} is disabled${call.disabledReason === undefined ? '; enable it before calling it' : `: ${call.disabledReason}`}`,
      { tool: name },
    );
  const { deprecated, version } = call.record;
  if (deprecated === undefined) return next(call);
  const why = deprecated === true ? '' : ` (${deprecated})`;
  throw new Fault('Unavailable', `${name} ${version} is deprecated${why}; call another version`, {
    tool: name,
    version,
  });
};
