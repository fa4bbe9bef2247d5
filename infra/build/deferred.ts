import type { Plugin } from 'esbuild';
import { root } from './paths.ts';

interface Deferred {
  /** The file it is in, beside the bundle. */
  readonly file: string;
  /** What is imported of it by name; as a function it can be called anyway. */
  readonly names: readonly string[];
}

/** Large packages that a start does not run and that synchronous code calls, which therefore cannot wait for `import()`. */
const packages: Readonly<Record<string, Deferred>> = {
  re2js: { file: 'deferred-re2js', names: ['RE2JS'] },
  jsonata: { file: 'deferred-jsonata', names: [] },
  'ajv/dist/2020.js': { file: 'deferred-ajv', names: ['Ajv2020'] },
  'ajv-formats': { file: 'deferred-ajv-formats', names: ['default'] },
};

/** Which of the imported packages are deferred, by the names of their files. */
export const findDeferred = (imported: Iterable<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new Set(imported)].flatMap((path) => {
      const found = packages[path];
      return found ? [[found.file, path]] : [];
    }),
  );

/** Puts a function in each package's place that loads its file with the first use: `require` takes ES modules too. */
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
