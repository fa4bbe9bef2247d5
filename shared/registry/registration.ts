import { compareVersions, UNVERSIONED } from '../kernel/version-order.ts';
import type { Family, Registration, VersionRecord } from '../model/registration.ts';

/** `name@version`, or the bare name of an unversioned tool. */
const formatToolId = (name: string, version: string): string => (version === UNVERSIONED ? name : `${name}@${version}`);

/** One version as callers see it. */
export const toRegistration = (family: Family, record: VersionRecord): Registration =>
  Object.freeze({
    id: formatToolId(family.name, record.version),
    spec: record.spec,
    digest: record.digest,
    enabled: family.enabled,
    default_version: family.default_version ?? record.version,
    versions: Object.freeze(family.versions.map(({ version }) => version).sort(compareVersions)),
    ...(record.deprecated === undefined ? {} : { deprecated: record.deprecated }),
    ...(record.created_at === undefined ? {} : { created_at: record.created_at }),
    ...(family.disabled_reason === undefined ? {} : { disabled_reason: family.disabled_reason }),
    ...(family.source === undefined ? {} : { source: family.source.name }),
    ...(family.source?.waiting.length ? { waiting: family.source.waiting } : {}),
  });
