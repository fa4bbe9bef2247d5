import { Fault } from '../kernel/errors.ts';
import { deepFreeze } from '../kernel/freeze.ts';
import type { Family } from '../model/registration.ts';
import { resolveVersion } from './versions.ts';

/** What may change on a registered tool without a new version. */
export interface StateChange {
  readonly enabled?: boolean | undefined;
  readonly default_version?: string | undefined;
  readonly deprecated?: boolean | string | undefined;
  /** The version that `deprecated` applies to; the default one if not given. */
  readonly version?: string | undefined;
}

/** Applies a state change; without an effect it returns the family itself. */
export const changeState = (family: Family, change: StateChange): Family => {
  let next = family;
  if (change.enabled !== undefined && change.enabled !== next.enabled) next = { ...next, enabled: change.enabled };
  if (change.default_version !== undefined) next = withDefault(next, change.default_version);
  if (change.deprecated !== undefined) next = withDeprecated(next, change.deprecated, change.version);
  return next === family ? family : deepFreeze(next);
};

const withDefault = (family: Family, wanted: string): Family => {
  const record = resolveVersion(family, wanted);
  if (!record) throw missingVersion(family, wanted);
  return record.version === family.default_version ? family : { ...family, default_version: record.version };
};

const withDeprecated = (family: Family, deprecated: boolean | string, wanted?: string): Family => {
  const record = resolveVersion(family, wanted);
  if (!record) throw missingVersion(family, wanted ?? 'default');
  if ((record.deprecated ?? false) === deprecated) return family;
  const { deprecated: _, ...plain } = record;
  const changed = deprecated === false ? plain : { ...plain, deprecated };
  return { ...family, versions: family.versions.map((version) => (version === record ? changed : version)) };
};

export const missingVersion = (family: Family, wanted: string): Fault =>
  new Fault(
    'NotFound',
    `${family.name} has no version ${wanted}; it has ${family.versions.map(({ version }) => version).join(', ')}`,
    { name: family.name, version: wanted },
  );
