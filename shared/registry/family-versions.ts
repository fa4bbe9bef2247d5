import { compareVersions, isPrerelease } from '../kernel/version-order.ts';
import type { Family, VersionRecord } from '../model/registration.ts';

/** The version that becomes the default when the present one goes: the highest release, else the highest of all. */
export const highestVersion = (versions: readonly VersionRecord[]): string | undefined => {
  const sorted = versions.map(({ version }) => version).sort(compareVersions);
  return sorted.findLast((version) => !isPrerelease(version)) ?? sorted.at(-1);
};

/** The version of exactly this name, or the default. */
export const exactVersion = (family: Family, wanted = family.default_version): VersionRecord | undefined =>
  family.versions.find(({ version }) => version === wanted);
