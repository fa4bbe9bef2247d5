import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ConsoleFile {
  readonly type: string;
  readonly body: Uint8Array;
  readonly etag: string;
}

/** The console's files by URL path; the page itself is `index.html`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** The console built with the package. */
const built = fileURLToPath(new URL('./built', import.meta.url));

/** The built console of the package, or one built now from the sources. `opened` gets the samples first. */
export const openConsole = async (opened: (samples: ConsoleFiles) => void): Promise<ConsoleFiles> => {
  if (existsSync(built)) {
    const files = await readFolder(built);
    opened(files);
    return files;
  }
  const { buildConsole, sampleFiles } = await import('./build.ts');
  opened(await sampleFiles());
  return buildConsole();
};

const readFolder = async (folder: string): Promise<ConsoleFiles> => {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const paths = found.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  const bodies = await Promise.all(paths.map((path) => readFile(join(folder, path))));
  return new Map(paths.map((path, index) => [path, createConsoleFile(path, bodies[index] ?? Buffer.alloc(0))]));
};

export const sha256Hex = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

export const createConsoleFile = (path: string, body: Uint8Array): ConsoleFile => ({
  type: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
  body,
  etag: `"${sha256Hex(body).slice(0, 32)}"`,
});
