import { deepFreeze } from '../kernel/freeze.ts';
import type { Family } from '../model/registration.ts';
import { highestVersion } from './family-versions.ts';

/** Removes one version, or all of them; undefined when nothing is left. Idempotent. */
export const removeVersion = (family: Family | undefined, version?: string): Family | undefined => {
  if (!family || version === undefined) return undefined;
  const versions = family.versions.filter((record) => record.version !== version);
  if (versions.length === family.versions.length) return family;
  if (versions.length === 0) return undefined;
  const kept = family.default_version !== version ? family.default_version : highestVersion(versions);
  return deepFreeze({ ...family, versions, default_version: kept ?? family.default_version });
};

/** Splits `name@version`; a bare name means all versions. */
export const splitId = (id: string): { readonly name: string; readonly version?: string } => {
  const at = id.indexOf('@');
  return at === -1 ? { name: id } : { name: id.slice(0, at), version: id.slice(at + 1) };
};
