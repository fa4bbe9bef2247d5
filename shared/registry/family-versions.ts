import { compareVersions, isPrerelease } from '../kernel/version-order.ts';
import type { Family, VersionRecord } from '../model/registration.ts';

/**
 * The version that becomes the default when the current one is removed: the highest release, else the highest of all.
 */
export const highestVersion = (versions: readonly VersionRecord[]): string | undefined => {
  const sorted = versions.map(({ version }) => version).sort(compareVersions);
  return sorted.findLast((version) => !isPrerelease(version)) ?? sorted.at(-1);
};

/** The given version, or the default. */
export const exactVersion = (family: Family, wanted = family.default_version): VersionRecord | undefined =>
  family.versions.find(({ version }) => version === wanted);
