import { readFile } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import type { Edit } from './lazy-modules.ts';
import { fromRoot, root } from './paths.ts';

/** A module that another starts as a worker thread says so by its address. */
const ADDRESS = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;

/** The modules that a bundle's sources start as threads, by the names they get beside it. */
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

/** Points those addresses at the bundled threads. */
export const threadAddresses: Edit = (path, text) =>
  text.replaceAll(ADDRESS, (_, to: string) => {
    const name = nameOf(`${resolve(dirname(path), to)}.ts`);
    return `new URL('./${name}.mjs', import.meta.url)`;
  });

/** `shared/adapters/onnx/worker.ts` is `onnx-worker`. */
const nameOf = (file: string): string =>
  relative(root, file)
    .split(/[/\\]/)
    .slice(-2)
    .join('-')
    .replace(/^(\w+)-\1-/, '$1-')
    .replace(/\.ts$/, '') || basename(file);
