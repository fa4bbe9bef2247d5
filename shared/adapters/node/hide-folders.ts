import { readdirSync } from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';

/** What an operator may let plugins do all the same; either gives the hidden folders away. */
export const ALLOWANCES = ['addons', 'child-process'] as const;
export type Allowance = (typeof ALLOWANCES)[number];

/**
 * Options that keep a Node process out of some folders. Node's permission model only allows, so everything beside them
 * is allowed: the entries of each folder on the way down to a hidden one, but for that one. With it go `/proc`, which
 * shows the environment of other processes, and starting processes or loading native code, which nothing would hold.
 *
 * It does not stop what Node itself does not: the network, and links that were there before.
 */
export const hideFolders = (hidden: readonly string[], allow: readonly Allowance[] = []): readonly string[] => {
  const paths = [...hidden, '/proc'].map((path) => resolve(path));
  const allowed = [...new Set(paths.map((path) => parse(path).root))].flatMap((root) => besides(root, paths));
  return [
    '--permission',
    '--allow-worker',
    ...allow.map((what) => `--allow-${what}`),
    ...allowed.flatMap((path) => [`--allow-fs-read=${path}`, `--allow-fs-write=${path}`]),
  ];
};

/** All of a folder but what is hidden in it, as few paths as can say it. */
const besides = (folder: string, hidden: readonly string[]): readonly string[] => {
  if (hidden.includes(folder)) return [];
  const isAbove = hidden.some((path) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  if (!isAbove) return [folder];
  return listEntries(folder).flatMap((name) => besides(join(folder, name), hidden));
};

const listEntries = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
