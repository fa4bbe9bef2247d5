import { readFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { Edit } from './lazy-modules.ts';
import { fromRoot, root } from './paths.ts';

/** The URL by which a module starts another as a worker thread. */
const ADDRESS = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;

/** The modules that a bundle's sources start as threads, by their file names beside the bundle. */
export const findThreads = async (sources: readonly string[]): Promise<Readonly<Record<string, string>>> => {
  const found = await Promise.all(sources.filter((source) => source.endsWith('.ts')).map(threadsOf));
  return Object.fromEntries(found.flat());
};

const threadsOf = async (source: string): Promise<readonly (readonly [name: string, file: string])[]> => {
  const text = await readFile(fromRoot(source), 'utf8');
  return [...text.matchAll(ADDRESS)].map(([, path = '']) => {
    const file = `${resolve(dirname(fromRoot(source)), path)}.ts`;
    return [nameOf(file), file] as const;
  });
};

/** Replaces those URLs by the URLs of the bundled threads. */
export const threadAddresses: Edit = (path, text) =>
  text.replaceAll(ADDRESS, (_, to: string) => {
    const name = nameOf(`${resolve(dirname(path), to)}.ts`);
    return `new URL('./${name}.mjs', import.meta.url)`;
  });

/** `shared/adapters/onnx/worker.ts` becomes `onnx-worker`. */
const nameOf = (file: string): string =>
  relative(root, file)
    .split(/[/\\]/)
    .slice(-2)
    .join('-')
    .replace(/^(\w+)-\1-/, '$1-')
    .replace(/\.ts$/, '') || basename(file);
