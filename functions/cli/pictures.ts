import { glob, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './command.ts';

const PICTURE = /\.(jpe?g|png|webp|avif|tiff?|gif|bmp|p[gp]m)$/i;

/** The picture files of names, folders and patterns, each once, in order. */
export const findPictures = async (given: readonly string[]): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const each of given) for (const file of await expand(each)) found.add(file);
  return [...found];
};

/** Reads a file into shared memory, which worker threads use without a copy. */
export const readShared = async (file: string): Promise<Uint8Array> => {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const bytes = new Uint8Array(new SharedArrayBuffer(size));
    let done = 0;
    while (done < size) {
      const { bytesRead } = await handle.read(bytes, done, size - done, done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await handle.close();
  }
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
