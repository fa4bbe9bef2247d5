import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Fault, messageOf } from '../../kernel/errors.ts';
import type { Blobs } from '../../kernel/ports.ts';
import { checkBlobKey, sortKeys } from '../blob-key.ts';

const UNFINISHED = '.unfinished-';

/** Blobs as files under a folder, written atomically. */
export const fileBlobs = (folder: string): Blobs => {
  const toPath = (key: string): string => {
    checkBlobKey(key);
    return join(folder, ...key.split('/'));
  };
  return {
    async get(key) {
      const path = toPath(key);
      try {
        return new Uint8Array(await readFile(path));
      } catch (thrown) {
        if (isAbsent(thrown)) return undefined;
        throw fileFault(thrown, key);
      }
    },
    async put(key, bytes) {
      const path = toPath(key);
      try {
        await writeWhole(path, bytes);
      } catch (thrown) {
        throw fileFault(thrown, key);
      }
    },
    async remove(key) {
      const path = toPath(key);
      await rm(path).catch((thrown: unknown) => {
        if (!isAbsent(thrown)) throw fileFault(thrown, key);
      });
    },
    async list(prefix) {
      // Everything below the last whole part of the prefix; the rest is compared as text.
      const entries = await listEntries(join(folder, ...prefix.split('/').slice(0, -1)));
      const keys = entries
        .filter((entry) => entry.isFile() && !entry.name.startsWith(UNFINISHED))
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
      return sortKeys(keys.filter((key) => key.startsWith(prefix)));
    },
  };
};

const writeWhole = async (path: string, bytes: Uint8Array): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `${UNFINISHED}${randomUUID()}`);
  try {
    const file = await open(unfinished, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  }
};

const listEntries = async (folder: string): Promise<readonly Dirent[]> => {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw fileFault(thrown, folder);
  }
};

const codeOf = (thrown: unknown): string => String((thrown as { code?: unknown } | undefined)?.code);

// A folder, or a file where a folder would have to be, is not a blob.
const isAbsent = (thrown: unknown): boolean => ['ENOENT', 'EISDIR', 'ENOTDIR'].includes(codeOf(thrown));

const fileFault = (thrown: unknown, key: string): Fault => {
  const code = codeOf(thrown);
  const details = { field: 'key', value: key };
  if (code === 'ENAMETOOLONG')
    return new Fault('InvalidInput', `the key ${key} has a part that is too long for a file name`, details);
  if (['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY'].includes(code))
    return new Fault(
      'Conflict',
      `the key ${key} is both a file and the folder of another key; choose another`,
      details,
    );
  return new Fault('Unavailable', `the file of ${key} cannot be used: ${messageOf(thrown)}`, {}, { cause: thrown });
};
