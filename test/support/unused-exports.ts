import { dirname, join, normalize } from 'node:path';
import { readSources, type Source } from './source-graph.ts';

/** Entry points, which are started or imported from outside: all their exports count as used. */
const ENTRY =
  /^(functions\/[^/]+\/(index|main|lambda|batch|publish)\.ts|shared\/(providers\/)?index\.ts|infra\/(app|cost)\.ts|infra\/build\/.*|.*\/(worker|[a-z]+-child)\.ts)$/;
const EXPORTED = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
const IMPORTED = /^(?:import|export)\s+(?:type\s+)?([^'"]*?)\s+from\s+['"](\.[^'"]+)['"]/gms;
const LOADED = /\bimport\(\s*['"](\.[^'"]+)['"]/g;

/** Exported values that no other file imports, tests included. Schemas with a type of their name are skipped. */
export const unusedExports = async (): Promise<readonly string[]> => {
  const sources = await readSources('{shared,functions,infra,layers,metadata,test}/**/*.{ts,tsx}');
  const used = new Map<string, string>();
  const use = (source: Source, path: string, names: string): void => {
    const target = normalize(join(dirname(source.file), path));
    used.set(target, `${used.get(target) ?? ''} ${names}`);
  };
  for (const source of sources) {
    for (const [, names = '', path = ''] of source.text.matchAll(IMPORTED)) use(source, path, names);
    for (const [, path = ''] of source.text.matchAll(LOADED)) use(source, path, '*');
  }
  return sources
    .filter(({ file }) => !file.startsWith('test/') && !ENTRY.test(file))
    .flatMap(({ file, text }) => {
      const names = used.get(file) ?? '';
      if (names.includes('*')) return [];
      return [...text.matchAll(EXPORTED)]
        .filter(([line, name = '']) => !/ (interface|type) /.test(line) && !/^[A-Z][a-z]/.test(name))
        .filter(([, name]) => !new RegExp(`\\b${name}\\b`).test(names))
        .map(([, name]) => `${file}: ${name}`);
    });
};
