import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { carryRuntime, thisPlatform } from '../../layers/onnx/carry-runtime.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const other = thisPlatform() === 'darwin/arm64' ? 'linux/arm64' : 'darwin/arm64';

/** The package as it lies in a user's folder, with ONNX Runtime for a platform. */
const installed = async (folder: string, platform?: string): Promise<string> => {
  const modules = join(folder, 'node_modules/assay/dist/node_modules');
  await carryRuntime(modules, platform);
  await writeFile(
    join(modules, '../use.mjs'),
    "import { Tensor } from 'onnxruntime-node'; console.log(typeof Tensor);",
  );
  return join(modules, '../use.mjs');
};

describe('ONNX Runtime inside the package', () => {
  test('the packed ONNX Runtime loads on its platform, with no install script and no library for another', async (t) => {
    const folder = await temporaryDirectory(t);
    const { stdout } = await run(process.execPath, [await installed(folder)]);

    assert.equal(stdout.trim(), 'function');
    const carried = join(folder, 'node_modules/assay/dist/node_modules/onnxruntime-node');
    const { scripts, dependencies } = JSON.parse(await readFile(join(carried, 'package.json'), 'utf8'));
    assert.deepEqual([scripts, dependencies], [undefined, undefined]);
    assert.equal((await readdir(carried, { recursive: true })).filter((file) => file.endsWith('.node')).length, 1);
  });

  test('on another platform the packed ONNX Runtime says what to install', async (t) => {
    const use = await installed(await temporaryDirectory(t), other);

    const { version } = JSON.parse(await readFile(join(root, 'node_modules/onnxruntime-node/package.json'), 'utf8'));
    await assert.rejects(run(process.execPath, [use]), (error: { stderr: string }) =>
      error.stderr.includes(
        `carries ONNX Runtime for ${other}, and this is ${thisPlatform()}; run: npm install onnxruntime-node@${version}`,
      ),
    );
  });

  test('on another platform the packed ONNX Runtime uses what the user has installed', async (t) => {
    const folder = await temporaryDirectory(t);
    const use = await installed(folder, other);
    await mkdir(join(folder, 'node_modules/onnxruntime-node'));
    await writeFile(join(folder, 'node_modules/onnxruntime-node/index.js'), 'exports.Tensor = class {};');

    assert.equal((await run(process.execPath, [use])).stdout.trim(), 'function');
  });

  test('packing refuses a platform that ONNX Runtime is not built for', async (t) => {
    await assert.rejects(carryRuntime(await temporaryDirectory(t), 'plan9/x64'), /no libraries for plan9\/x64/);
  });

  test('the install script of onnxruntime-node exits before it downloads, unless asked', async () => {
    const { bootstrap } = await import('global-agent' as string);
    assert.equal(typeof bootstrap, 'function');
    await run(process.execPath, ['script/install.js'], {
      cwd: join(root, 'node_modules/onnxruntime-node'),
      env: { PATH: process.env.PATH },
    });
  });
});
