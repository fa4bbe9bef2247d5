/** The version name of a spec without a version. */
export const UNVERSIONED = 'unversioned';

/** SemVer order, including builds; a spec without a version sorts before every version. */
export const compareVersions = (a: string, b: string): number => {
  if (a === b) return 0;
  if (a === UNVERSIONED) return -1;
  if (b === UNVERSIONED) return 1;
  const left = splitVersion(a);
  const right = splitVersion(b);
  return (
    compareLists(left.release, right.release) ||
    // A release sorts after its pre-releases.
    Number(left.prerelease.length === 0) - Number(right.prerelease.length === 0) ||
    compareLists(left.prerelease, right.prerelease) ||
    compareLists(left.build, right.build)
  );
};

export const isPrerelease = (version: string): boolean =>
  version !== UNVERSIONED && splitVersion(version).prerelease.length > 0;

interface Parts {
  readonly release: readonly string[];
  readonly prerelease: readonly string[];
  readonly build: readonly string[];
}

const splitVersion = (version: string): Parts => {
  const [rest = '', build] = split(version, '+');
  const [release = '', prerelease] = split(rest, '-');
  return { release: release.split('.'), prerelease: prerelease?.split('.') ?? [], build: build?.split('.') ?? [] };
};

const split = (text: string, mark: string): readonly [string, string?] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

const compareLists = (a: readonly string[], b: readonly string[]): number => {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const order = compareWords(a[index] ?? '', b[index] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

const DIGITS = /^\d+$/;

// Numeric identifiers compare by value, of any length, and sort before alphanumeric ones.
const compareWords = (a: string, b: string): number => {
  const isNumber = DIGITS.test(a);
  if (isNumber !== DIGITS.test(b)) return isNumber ? -1 : 1;
  if (isNumber && a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
};
