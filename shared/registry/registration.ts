import { omitUndefined } from '../kernel/omit-undefined.ts';
import { compareVersions, UNVERSIONED } from '../kernel/version-order.ts';
import type { Family, Registration, VersionRecord } from '../model/registration.ts';

/** `name@version`, or the bare name of an unversioned tool. */
const formatToolId = (name: string, version: string): string => (version === UNVERSIONED ? name : `${name}@${version}`);

/** One version as callers see it. */
export const toRegistration = (family: Family, record: VersionRecord): Registration =>
  Object.freeze(
    omitUndefined({
      id: formatToolId(family.name, record.version),
      spec: record.spec,
      digest: record.digest,
      enabled: family.enabled,
      default_version: family.default_version ?? record.version,
      versions: Object.freeze(family.versions.map(({ version }) => version).sort(compareVersions)),
      deprecated: record.deprecated,
      created_at: record.created_at,
      disabled_reason: family.disabled_reason,
      source: family.source?.name,
      waiting: family.source?.waiting.length ? family.source.waiting : undefined,
    }),
  );
