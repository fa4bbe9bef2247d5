import maxSatisfying from 'semver/ranges/max-satisfying.js';
import validRange from 'semver/ranges/valid.js';
import { Fault } from '../kernel/errors.ts';
import { UNVERSIONED } from '../kernel/version-order.ts';
import type { Family, VersionRecord } from '../model/registration.ts';
import { exactVersion } from './family-versions.ts';

/** Finds the default, an exact version, or the highest one in a range such as `^1`. */
export const resolveVersion = (family: Family, wanted?: string): VersionRecord | undefined => {
  const found = exactVersion(family, wanted);
  if (found || wanted === undefined) return found;
  if (validRange(wanted) === null)
    throw new Fault('InvalidInput', `version ${JSON.stringify(wanted)} is neither a version nor a range such as ^1`, {
      field: 'version',
      value: wanted,
    });
  const waiting = family.source?.waiting ?? [];
  const candidates = family.versions
    .map(({ version }) => version)
    .filter((version) => version !== UNVERSIONED && !waiting.includes(version));
  const best = maxSatisfying(candidates, wanted);
  return family.versions.find(({ version }) => version === best);
};
