import { glob, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { checkedTools } from './checked-tools.ts';
import { dataFiles, weightAddresses } from './data-files.ts';
import { deferred, findDeferred } from './deferred.ts';
import { type Edit, lazyModules } from './lazy-modules.ts';
import { groupModules, type Source, START_FILE } from './module-groups.ts';
import { nodeBuiltins } from './node-builtins.ts';
import { fromRoot, root } from './paths.ts';
import { bundledTools } from './plugin-tools.ts';
import { slimBundle, withoutSdkCalls } from './slim-bundle.ts';
import { findThreads, threadAddresses } from './threads.ts';

export interface BundleOptions {
  /** Relative to the root: `functions/api/index.ts`. */
  readonly entry: string;
  readonly outdir: string;
  /** The folder whose node_modules and assay.config.json are searched for tools; the project's own unless given. */
  readonly tools?: string;
  /** Makes every module record that it was evaluated. */
  readonly noted?: boolean;
}

export interface Bundle {
  /** The size of all files, and of the code among them. */
  readonly bytes: number;
  readonly codeBytes: number;
  /** The code that a start loads; the rest is imported on first use. */
  readonly startBytes: number;
}

/** Bundles one function to `index.mjs` in a folder, with the files that it loads at run time beside it. */
export const bundleFunction = async ({
  entry,
  outdir,
  tools = root,
  noted = false,
}: BundleOptions): Promise<Bundle> => {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const atEdge = entry.startsWith('functions/edge/');
  const isLambda = entry !== BATCH;
  const edits = [
    threadAddresses,
    weightAddresses(outdir),
    checkedTools(outdir),
    bundledTools(tools),
    ...(isLambda ? [withoutSdkCalls] : []),
  ];
  const entries = await entriesOf(entry, edits);
  const asTheyAre = Object.values(entries.own);
  const groups = groupModules(
    entry,
    entries.sources.filter(({ module }) => !asTheyAre.includes(module)),
  );
  await build({
    ...settings,
    entryPoints: atEdge ? entries.own : { ...entries.own, ...entries.deferred, ...groups.entries },
    outdir,
    plugins: [
      ...(atEdge
        ? []
        : [deferred(entries.deferred), groups.plugin, lazyModules({ asTheyAre, edits, groups, noted }), nodeBuiltins]),
      ...slimBundle(isLambda),
      natives,
      dataFiles(outdir),
    ],
  });
  // The edge has no `require`.
  if (!atEdge) await giveRequire(outdir);
  return measure(outdir);
};

/** Only a few files, mostly CommonJS packages, call `require`; creating it would slow down every file of a start. */
const giveRequire = async (folder: string): Promise<void> => {
  for await (const file of glob('*.mjs', { cwd: folder })) {
    const text = await readFile(join(folder, file), 'utf8');
    if (/\brequire\b/.test(text)) await writeFile(join(folder, file), `${BANNER}\n${text}`);
  }
};

/** The one bundle that does not run in Lambda. */
const BATCH = 'functions/inference/main.ts';

/** The esbuild settings of all bundles. */
export const settings = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // The SDK's `module` build supports tree shaking; its `main` does not.
  mainFields: ['module', 'main'],
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'silent',
  treeShaking: true,
} as const satisfies BuildOptions;

// CommonJS packages call `require`.
export const BANNER = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);";

interface Entries {
  /** The function, and the worker threads that its sources start. */
  readonly own: Readonly<Record<string, string>>;
  /** The packages that are loaded on first use. */
  readonly deferred: Readonly<Record<string, string>>;
  /** All of our modules that they contain. */
  readonly sources: readonly Source[];
}

export const entriesOf = async (entry: string, edits: readonly Edit[] = []): Promise<Entries> => {
  const inputs = await inputsOf([fromRoot(entry)], edits);
  const threadFiles = await findThreads(Object.keys(inputs));
  const inThreads = Object.keys(threadFiles).length > 0 ? await inputsOf(Object.values(threadFiles), edits) : {};
  const imported = [inputs, inThreads].flatMap(Object.values).flatMap(({ imports }) => imports);
  return {
    own: { index: fromRoot(entry), ...threadFiles },
    deferred: findDeferred(imported.map(({ path }) => path)),
    sources: Object.entries({ ...inputs, ...inThreads })
      .filter(([path]) => /^(shared|functions|metadata)\/.*\.tsx?$/.test(path))
      .map(([path, { imports }]) => ({
        module: fromRoot(path),
        packages: imports.filter(({ external }) => external).map((imported) => imported.path),
      })),
  };
};

const inputsOf = async (files: readonly string[], edits: readonly Edit[]): Promise<Metafile['inputs']> => {
  const { metafile } = await build({
    ...settings,
    splitting: false,
    minify: false,
    entryPoints: [...files],
    outdir: 'dist',
    write: false,
    metafile: true,
    packages: 'external',
    plugins: [editedSources(edits)],
  });
  return metafile.inputs;
};

/** Code that the edits remove is not bundled. Addresses of threads stay unchanged, because they identify the threads. */
const editedSources = (edits: readonly Edit[]): Plugin => ({
  name: 'edited-sources',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const edit of edits) contents = await edit(path, contents);
      return { contents, loader: 'ts' };
    }),
});

type Plugin = NonNullable<BuildOptions['plugins']>[number];

/** The layer's packages. Lambda puts layers into the folders of NODE_PATH, which only `require` searches. */
export const natives: Plugin = {
  name: 'natives',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(sharp|onnxruntime-node)$/ }, ({ path, namespace }) =>
      namespace === 'native' ? { path, external: true } : { path, namespace: 'native' },
    );
    onLoad({ filter: /.*/, namespace: 'native' }, ({ path }) => ({
      contents: path === 'sharp' ? lazySharp : `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

// It would be a tenth of a start, so the first call with a picture loads it.
const lazySharp = `
let loaded;
const load = () => (loaded ??= require('sharp'));
module.exports = new Proxy(() => {}, {
  apply: (_, self, args) => load()(...args),
  get: (_, name) => (name === '__esModule' ? undefined : load()[name]),
});`;

const measure = async (folder: string): Promise<Bundle> => {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).size] as const));
  const sum = (chosen: typeof sizes): number => chosen.reduce((total, [, size]) => total + size, 0);
  const atStart = await importedBy(folder, 'index.mjs');
  if (names.includes(`${START_FILE}.mjs`)) await importedBy(folder, `${START_FILE}.mjs`, atStart);
  return {
    bytes: sum(sizes),
    codeBytes: sum(sizes.filter(([name]) => basename(name).endsWith('.mjs'))),
    startBytes: sum(sizes.filter(([name]) => atStart.has(name))),
  };
};

/** A file and its static imports, without those by `import()`. */
const importedBy = async (folder: string, name: string, found = new Set<string>()): Promise<Set<string>> => {
  if (found.has(name)) return found;
  found.add(name);
  const text = await readFile(join(folder, name), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+\.mjs)"/g))
    await importedBy(folder, imported, found);
  return found;
};
