import { glob, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './command.ts';

const PICTURE = /\.(jpe?g|png|webp|avif|tiff?|gif)$/i;

/** The picture files that names, folders and patterns mean, each once, in order. */
export const findPictures = async (given: readonly string[]): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const each of given) for (const file of await expand(each)) found.add(file);
  return [...found];
};

const expand = async (given: string): Promise<readonly string[]> => {
  const there = await stat(given).catch(() => undefined);
  if (there?.isDirectory()) {
    const names = await readdir(given, { recursive: true });
    return names
      .filter((name) => PICTURE.test(name))
      .sort()
      .map((name) => join(given, name));
  }
  if (there) return [given];
  if (!/[*?[{]/.test(given)) throw new UsageError(`there is no file or folder ${given}`);
  const matches = (await Array.fromAsync(glob(given))).sort();
  if (matches.length === 0) throw new UsageError(`no file matches ${given}`);
  return matches;
};
