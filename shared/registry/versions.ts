import compareBuild from 'semver/functions/compare-build.js';
import prerelease from 'semver/functions/prerelease.js';
import maxSatisfying from 'semver/ranges/max-satisfying.js';
import validRange from 'semver/ranges/valid.js';
import { Fault } from '../errors.ts';
import { type Family, UNVERSIONED, type VersionRecord } from '../model/registration.ts';

/** SemVer order; a spec without a version comes before every version. */
export const compareVersions = (a: string, b: string): number => {
  if (a === b) return 0;
  if (a === UNVERSIONED) return -1;
  if (b === UNVERSIONED) return 1;
  return compareBuild(a, b);
};

export const isPrerelease = (version: string): boolean => version !== UNVERSIONED && prerelease(version) !== null;

/** The version that becomes the default when the present one goes: the highest release, else the highest of all. */
export const highestVersion = (versions: readonly VersionRecord[]): string | undefined => {
  const sorted = versions.map(({ version }) => version).sort(compareVersions);
  return sorted.findLast((version) => !isPrerelease(version)) ?? sorted.at(-1);
};

/** Finds the default, an exact version, or the highest one in a range such as `^1`. */
export const resolveVersion = (family: Family, wanted?: string): VersionRecord | undefined => {
  const exact = wanted ?? family.default_version;
  const found = family.versions.find(({ version }) => version === exact);
  if (found || wanted === undefined) return found;
  if (validRange(wanted) === null)
    throw new Fault('InvalidInput', `version ${JSON.stringify(wanted)} is neither a version nor a range such as ^1`, {
      field: 'version',
      value: wanted,
    });
  const candidates = family.versions.map(({ version }) => version).filter((version) => version !== UNVERSIONED);
  const best = maxSatisfying(candidates, wanted);
  return family.versions.find(({ version }) => version === best);
};
