import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { CONTENT_TYPES, type ConsoleFiles, createConsoleFile, sha256Hex } from './files.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Bundles scripts and styles and gathers the sample pictures, all in memory. */
export const buildConsole = async (): Promise<ConsoleFiles> => {
  const [bundled, samples, icon, page] = await Promise.all([
    bundle(),
    readSamples(),
    readFile(join(here, 'icon.svg')),
    readFile(join(here, 'index.html'), 'utf8'),
  ]);
  const files = new Map([...bundled, ...samples, ['console/icon.svg', icon] as const]);
  const version = sha256Hex(Buffer.concat([...files.values()])).slice(0, 12);
  files.set('index.html', Buffer.from(page.replaceAll('%VERSION%', version)));
  return new Map([...files].map(([path, body]) => [path, createConsoleFile(path, body)]));
};

const bundle = async (): Promise<readonly (readonly [string, Uint8Array])[]> => {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [
      { in: 'main.tsx', out: 'app' },
      { in: 'styles/app.css', out: 'app' },
    ],
    outdir: 'console',
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx/dom',
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles.map(({ path, contents }) => [`console/app${extname(path)}`, contents]);
};

const readSamples = async (): Promise<readonly (readonly [string, Uint8Array])[]> => {
  const names = (await readdir(join(here, 'samples'))).filter((name) => extname(name) in CONTENT_TYPES);
  return Promise.all(
    names.map(async (name) => [`console/samples/${name}`, await readFile(join(here, 'samples', name))] as const),
  );
};

/** The sample pictures alone: they are there long before the scripts are bundled. */
export const sampleFiles = async (): Promise<ConsoleFiles> =>
  new Map((await readSamples()).map(([path, body]) => [path, createConsoleFile(path, body)]));

const writeConsole = async (outdir: string): Promise<void> => {
  for (const [path, { body }] of await buildConsole()) {
    await mkdir(dirname(join(outdir, path)), { recursive: true });
    await writeFile(join(outdir, path), body);
  }
};

if (import.meta.main) await writeConsole(process.argv[2] ?? 'dist/console');
