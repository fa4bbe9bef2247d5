import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../kernel/errors.ts';

/** The parts of a path that stays inside: relative, without `..`, NUL or another system's separators. */
const checkedParts = (path: string): readonly string[] => {
  const parts = path.split('/');
  const why =
    path === ''
      ? 'is empty'
      : path.includes('\0')
        ? 'holds a NUL'
        : path.startsWith('/') || /^[A-Za-z]:/.test(path)
          ? 'is absolute'
          : path.includes('\\')
            ? 'holds a backslash'
            : parts.includes('..')
              ? 'leads out by ..'
              : parts.some((part) => part === '' || part === '.' || Buffer.byteLength(part) > 255)
                ? 'has a part that is empty, a dot or longer than 255 bytes'
                : undefined;
  if (why === undefined) return parts;
  throw new Fault(
    'InvalidInput',
    `path ${JSON.stringify(path.slice(0, 200))} ${why}; give one such as notes/today.txt`,
    {
      field: 'path',
      value: path.slice(0, 200),
    },
  );
};

/**
 * The absolute path of a relative one within a folder. No part may be a symbolic link, not even one that stays inside,
 * because its target can change after the check.
 */
export const confinedPath = async (folder: string, path: string): Promise<string> => {
  const parts = checkedParts(path);
  let place = folder;
  for (const part of parts) {
    place = join(place, part);
    const found = await lstat(place).catch(() => undefined);
    if (!found) break;
    if (found.isSymbolicLink())
      throw new Fault(
        'Forbidden',
        `path ${JSON.stringify(path)} goes through a symbolic link; links are not followed`,
        {
          field: 'path',
          value: path,
        },
      );
  }
  return join(folder, ...parts);
};
