import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { carryRuntime, thisPlatform } from '../../layers/onnx/carry-runtime.ts';
import { currentBundle } from './bundle-cache.js';
import { bundleCommand } from './bundle-command.ts';
import { fromRoot, root } from './paths.ts';

const run = promisify(execFile);
const dist = fromRoot('dist');

/** Writes `dist`: the library with its types, the command with the console, and ONNX Runtime for one platform. */
const buildPackage = async ({ platform, unchecked }: { platform: string; unchecked: boolean }): Promise<void> => {
  await rm(dist, { recursive: true, force: true });
  const isCopied = unchecked && (await copyCommand(dist));
  await Promise.all([
    compile(unchecked),
    isCopied || bundleCommand(dist),
    carryRuntime(join(dist, 'node_modules'), platform),
  ]);
  for await (const file of glob('{functions,shared}/**/*.{js,d.ts}', { cwd: dist })) await point(join(dist, file));
};

/** Uses this clone's bundle of the command, unless a source has changed since. */
const copyCommand = async (folder: string): Promise<boolean> => {
  const bundle = currentBundle(root);
  if (bundle === undefined) return false;
  await cp(join(dirname(bundle), '../..'), folder, { recursive: true });
  return true;
};

const compile = async (unchecked: boolean): Promise<void> => {
  const tsc = fromRoot('node_modules/typescript/bin/tsc');
  // Several type checkers would each infer the same declarations again.
  const flags = unchecked ? ['--noCheck', '--checkers', '1'] : [];
  const args = [tsc, '-p', fromRoot('infra/build/package.tsconfig.json'), ...flags];
  await run(process.execPath, args, { cwd: root }).catch(({ stdout }: { stdout: string }) =>
    Promise.reject(new Error(`the sources do not compile\n${stdout}`)),
  );
};

/** The compiler does not change the URLs of threads and the imports in declarations. */
const point = async (file: string): Promise<void> => {
  const text = await readFile(file, 'utf8');
  const pointed = file.endsWith('.d.ts')
    ? text.replaceAll(/((?:from |import\()['"]\.[^'"]*)\.tsx?(['"])/g, '$1.js$2')
    : text.replaceAll(/(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g, '$1.js$2');
  for (const [, target = ''] of pointed.matchAll(/new URL\('(\.[^']*\.js)', import\.meta\.url\)/g))
    if (!existsSync(resolve(dirname(file), target)))
      throw new Error(`${file} starts ${target}, which is not compiled: add it to infra/build/package.tsconfig.json`);
  if (pointed !== text) await writeFile(file, pointed);
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      platform: { type: 'string', default: thisPlatform() },
      // For tests and for builds after a type check, because checking takes most of the time.
      unchecked: { type: 'boolean', default: false },
    },
  });
  await buildPackage(values);
  console.error(`dist is built, with ONNX Runtime for ${values.platform}`);
}
