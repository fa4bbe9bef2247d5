import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';

/** Reads a file given by the user; the error says what is wrong with it. */
export const readNamed = (file: string): Promise<Buffer> => named(file, readFile(file));

/** The same errors for any way of reading a file. */
export const named = <T>(file: string, reading: Promise<T>): Promise<T> =>
  reading.catch((cause: unknown) => {
    const { code } = cause as { readonly code?: string };
    throw new Fault('NotFound', SAID.get(code ?? '')?.(file) ?? other(file, cause), { file }, { cause });
  });

const SAID: ReadonlyMap<string, (file: string) => string> = new Map([
  ['ENOENT', (file: string) => `there is no file ${file}`],
  ['EISDIR', (file: string) => `${file} is a folder, not a file`],
  ['EACCES', (file: string) => `the file ${file} may not be read by this user`],
]);

const other = (file: string, cause: unknown): string => `the file ${file} cannot be read: ${messageOf(cause)}`;
