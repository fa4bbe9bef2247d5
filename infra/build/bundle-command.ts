import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { BANNER, entriesOf, natives, settings } from './bundle.ts';
import { CACHE, currentBundle, markOf } from './bundle-cache.js';
import { checkedTools } from './checked-tools.ts';
import { dataFiles, weightAddresses } from './data-files.ts';
import { deferred } from './deferred.ts';
import { lazyModules } from './lazy-modules.ts';
import { nodeBuiltins } from './node-builtins.ts';
import { fromRoot, root } from './paths.ts';
import { slimBundle } from './slim-bundle.ts';
import { threadAddresses } from './threads.ts';

const run = promisify(execFile);
const ENTRY = 'functions/cli/main.ts';
const METADATA = 'metadata/tools.json';

/**
 * Bundles the command line with its threads, its data and the built console into a folder: it starts in half the time
 * of the sources, which are 800 modules. Returns the source files it contains.
 */
export const bundleCommand = async (folder: string): Promise<readonly string[]> => {
  const code = join(folder, 'functions/cli');
  await mkdir(code, { recursive: true });
  const entries = await entriesOf(ENTRY);
  const [{ metafile }, inConsole] = await Promise.all([
    build({
      ...settings,
      entryPoints: { ...entries.own, ...entries.deferred },
      outdir: code,
      banner: { js: BANNER },
      // Function names and source positions in errors are worth more than a smaller file.
      minify: false,
      minifySyntax: true,
      minifyWhitespace: true,
      // oidc-provider distinguishes its classes by their names, which bundling may change.
      external: ['esbuild', 'oidc-provider'],
      plugins: [
        deferred(entries.deferred),
        lazyModules({
          asTheyAre: [...Object.values(entries.own), fromRoot('functions/console/build.ts')],
          edits: [threadAddresses, weightAddresses(code), checkedTools(code)],
        }),
        nodeBuiltins,
        ...slimBundle(false),
        natives,
        dataFiles(code),
      ],
      metafile: true,
    }),
    buildConsole(join(code, 'built')),
    mkdir(join(folder, 'metadata'), { recursive: true }).then(() => cp(fromRoot(METADATA), join(folder, METADATA))),
  ]);
  const sources = [...Object.keys(metafile.inputs).map(fromRoot), ...inConsole].map((path) => relative(root, path));
  // Packages change only by an installation, which updates this file.
  const own = sources.filter((path) => /^(functions|shared|metadata)\b/.test(path));
  return [...new Set([...own, METADATA, 'node_modules/.package-lock.json'])];
};

/** Builds the console into a folder and returns the files it was made of. */
const buildConsole = async (folder: string): Promise<readonly string[]> => {
  const script = fromRoot('functions/console/build.ts');
  const { stdout } = await run(process.execPath, [script, folder, '--sources']);
  return JSON.parse(stdout);
};

/**
 * Bundles the command of this clone unless its bundle is up to date. The size and time of every source are stored with
 * it, so that a start can detect changes.
 */
export const bundleClone = async (): Promise<void> => {
  if (currentBundle(root) !== undefined) return;
  const cache = fromRoot(CACHE);
  const folder = `${Date.now().toString(36)}-${process.pid}`;
  const sources = await bundleCommand(join(cache, folder));
  const marks = Object.fromEntries(sources.map((path) => [path, markOf(root, path)]));
  const draft = join(cache, `${folder}.json`);
  await writeFile(draft, JSON.stringify({ folder, sources: marks }));
  await rename(draft, join(cache, 'current.json'));
  await forgetOlder(cache);
};

/** A running server keeps the bundle it was started from. */
const KEPT = 5;

const forgetOlder = async (cache: string): Promise<void> => {
  const folders = (await readdir(cache)).filter((name) => !name.endsWith('.json')).sort();
  for (const name of folders.slice(0, -KEPT)) await rm(join(cache, name), { recursive: true, force: true });
};
