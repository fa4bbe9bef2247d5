import type { Plugin } from 'esbuild';
import { root } from './paths.ts';

interface Deferred {
  /** The file beside the bundle that contains it. */
  readonly file: string;
  /** The named exports in use; a package that is itself a function can be called without one. */
  readonly names: readonly string[];
}

/** Large packages that a start does not need. Synchronous code calls them, so `import()` is not possible. */
const packages: Readonly<Record<string, Deferred>> = {
  re2js: { file: 'deferred-re2js', names: ['RE2JS'] },
  jsonata: { file: 'deferred-jsonata', names: [] },
  'ajv/dist/2020.js': { file: 'deferred-ajv', names: ['Ajv2020'] },
  'ajv-formats': { file: 'deferred-ajv-formats', names: ['default'] },
};

/** The deferred ones among the imported packages, by file name. */
export const findDeferred = (imported: Iterable<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new Set(imported)].flatMap((path) => {
      const found = packages[path];
      return found ? [[found.file, path]] : [];
    }),
  );

/** Replaces each package by a function that loads its file on first use; `require` can load ES modules. */
export const deferred = (entries: Readonly<Record<string, string>>): Plugin => ({
  name: 'deferred',
  setup({ onResolve, onLoad }) {
    const files = new Map(Object.entries(entries).map(([file, path]) => [path, file]));
    onResolve({ filter: /^(re2js|jsonata|ajv\/dist\/2020\.js|ajv-formats)$/ }, ({ path, kind, namespace }) => {
      if (namespace === WHOLE || !files.has(path)) return undefined;
      return { path, namespace: kind === 'entry-point' ? WHOLE : STUB };
    });
    onResolve({ filter: /^\.\/deferred-/, namespace: STUB }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: WHOLE }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      resolveDir: root,
    }));
    onLoad({ filter: /.*/, namespace: STUB }, ({ path }) => ({ contents: stubOf(path) }));
  },
});

const WHOLE = 'deferred-whole';
const STUB = 'deferred-stub';

const stubOf = (path: string): string => {
  const { file = '', names = [] } = packages[path] ?? {};
  return `
let loaded;
const load = () => (loaded ??= require('./${file}.mjs').default);
module.exports = (...given) => load()(...given);
for (const name of ${JSON.stringify(names)})
  Object.defineProperty(module.exports, name, { enumerable: true, get: () => load()[name] });`;
};
