import { digestOf } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { deepFreeze } from '../kernel/freeze.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { compareVersions, isPrerelease, UNVERSIONED } from '../kernel/version-order.ts';
import type { Family, VersionRecord } from '../model/registration.ts';
import type { Tool } from '../model/tool.ts';

export interface Registered {
  readonly family: Family;
  readonly record: VersionRecord;
  /** Whether anything new was stored. */
  readonly outcome: 'new' | 'version' | 'identical';
}

export const toRecord = (spec: Tool, createdAt?: string): VersionRecord =>
  deepFreeze(
    omitUndefined({
      version: spec.version ?? UNVERSIONED,
      spec,
      digest: digestOf(spec),
      created_at: createdAt,
    }),
  );

/**
 * Adds a version to a family: an identical one is returned unchanged, the same version with another spec is a conflict.
 */
export const registerVersion = (
  family: Family | undefined,
  record: VersionRecord,
  makeDefault?: boolean,
): Registered => {
  const existing = family?.versions.find(({ version }) => version === record.version);
  if (family && existing?.digest === record.digest) {
    const moved = makeDefault === true && family.default_version !== record.version;
    const same = moved ? { ...family, default_version: record.version } : family;
    return { family: same, record: existing, outcome: 'identical' };
  }
  if (existing) throw versionConflict(record);
  if (family && family.versions.length > 0 && record.version === UNVERSIONED) throw unversionedAfterVersioned(family);

  const versions = [...(family?.versions ?? []), record].sort((a, b) => compareVersions(a.version, b.version));
  const becomesDefault = makeDefault ?? isNewer(record.version, family?.default_version);
  const next: Family = {
    name: record.spec.name,
    enabled: true,
    default_version: becomesDefault ? record.version : (family?.default_version ?? record.version),
    versions,
  };
  return { family: deepFreeze(next), record, outcome: versions.length > 1 ? 'version' : 'new' };
};

// A pre-release or a backport does not become the default by itself.
const isNewer = (version: string, present: string | undefined): boolean =>
  present === undefined || (!isPrerelease(version) && compareVersions(version, present) > 0);

const versionConflict = ({ spec, version }: VersionRecord): Fault =>
  version === UNVERSIONED
    ? new Fault(
        'Conflict',
        `${spec.name} is already registered without a version and with another spec; give the new one a version such as 1.0.0`,
        { name: spec.name },
      )
    : new Fault(
        'Conflict',
        `${spec.name} ${version} is already registered with another spec; register the change under a higher version`,
        { name: spec.name, version },
      );

const unversionedAfterVersioned = (family: Family): Fault =>
  new Fault(
    'Conflict',
    `${family.name} already has version ${family.default_version}; give the new spec a version higher than that`,
    { name: family.name, versions: family.versions.map(({ version }) => version) },
  );
