import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { CONTENT_TYPES, type ConsoleFiles, createConsoleFile, sha256Hex } from './files.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Bundles scripts and styles and reads the sample pictures, all in memory. */
export const buildConsole = async (): Promise<ConsoleFiles> => (await makeConsole()).files;

interface Made {
  readonly files: ConsoleFiles;
  /** The source files of scripts and styles, relative to this folder. */
  readonly sources: readonly string[];
}

const makeConsole = async (): Promise<Made> => {
  const [{ bundled, preloaded, sources }, samples, icon, page] = await Promise.all([
    bundle(),
    readSamples(),
    readFile(join(here, 'icon.svg')),
    readFile(join(here, 'index.html'), 'utf8'),
  ]);
  const files = new Map([...bundled, ...samples, ['console/icon.svg', icon] as const]);
  const version = sha256Hex(Buffer.concat([...files.values()])).slice(0, 12);
  const links = preloaded.map((path) => `<link rel="modulepreload" href="/${path}">`).join('');
  files.set('index.html', Buffer.from(page.replace('%PRELOADED%', links).replaceAll('%VERSION%', version)));
  return { files: new Map([...files].map(([path, body]) => [path, createConsoleFile(path, body)])), sources };
};

const bundle = async () => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [
      { in: 'main.tsx', out: 'app' },
      { in: 'styles/app.css', out: 'app' },
    ],
    outdir: 'console',
    bundle: true,
    // Pages are loaded on demand.
    splitting: true,
    chunkNames: 'page-[hash]',
    write: false,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx/dom',
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
  });
  const bundled = outputFiles.map(
    ({ path, contents }) => [relative(here, path).replaceAll(sep, '/'), contents] as const,
  );
  return {
    bundled,
    preloaded: importedBy(metafile.outputs, 'console/app.js'),
    sources: [...Object.keys(metafile.inputs), 'index.html', 'icon.svg'],
  };
};

/** The chunks that a script imports statically: preloaded in parallel with it. */
const importedBy = (outputs: Metafile['outputs'], path: string, found = new Set<string>()): readonly string[] => {
  for (const { path: imported, kind } of outputs[path]?.imports ?? [])
    if (kind === 'import-statement' && !found.has(imported)) importedBy(outputs, imported, found.add(imported));
  return [...found];
};

const readSamples = async (): Promise<readonly (readonly [string, Uint8Array])[]> => {
  const names = (await readdir(join(here, 'samples'))).filter((name) => extname(name) in CONTENT_TYPES);
  return Promise.all(
    names.map(async (name) => [`console/samples/${name}`, await readFile(join(here, 'samples', name))] as const),
  );
};

/** Only the sample pictures, which are available before the scripts are bundled. */
export const sampleFiles = async (): Promise<ConsoleFiles> =>
  new Map((await readSamples()).map(([path, body]) => [path, createConsoleFile(path, body)]));

/** Writes the console into a folder and returns its source files. */
const writeConsole = async (outdir: string): Promise<readonly string[]> => {
  const { files, sources } = await makeConsole();
  for (const [path, { body }] of files) {
    await mkdir(dirname(join(outdir, path)), { recursive: true });
    await writeFile(join(outdir, path), body);
  }
  return sources.map((path) => join(here, path));
};

if (import.meta.main) {
  const [folder = 'dist/console', list] = process.argv.slice(2);
  const sources = await writeConsole(folder);
  if (list === '--sources') process.stdout.write(JSON.stringify(sources));
}
