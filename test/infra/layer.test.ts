import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildLayer, MAX_LAYER_BYTES } from '../../layers/onnx/build.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const readJson = async (path: string) => JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));

describe('the ONNX Lambda layer', () => {
  test('C.10 the layer has ONNX Runtime and sharp for one platform, within 100 MB', async (context) => {
    const outdir = await temporaryDirectory(context);

    const { bytes, packages } = await buildLayer(outdir);

    const files = await readdir(join(outdir, 'nodejs/node_modules'), { recursive: true });
    assert.ok(bytes < MAX_LAYER_BYTES, `${bytes} bytes`);
    assert.ok(packages.includes('onnxruntime-node') && packages.includes('@img/sharp-linux-x64'));
    assert.ok(files.some((file) => file.endsWith('linux/x64/onnxruntime_binding.node')));
    assert.deepEqual(
      files.filter((file) => /darwin|win32|arm64|\.d\.ts$|@aws-sdk/.test(file)),
      [],
    );
  });

  test('the layer’s check refuses the AWS SDK', async (context) => {
    const outdir = await temporaryDirectory(context);

    await assert.rejects(buildLayer(outdir, { packages: ['@aws-sdk/client-s3'] }), /belongs into the bundles/);
  });

  test('the layer’s check refuses an SDK that another package brings', async (context) => {
    const directory = await temporaryDirectory(context);
    await writePackage(directory, 'innocent', { dependencies: { '@smithy/core': '1' } });

    await assert.rejects(
      buildLayer(join(directory, 'out'), { packages: ['innocent'], from: [directory] }),
      /@smithy\/core belongs/,
    );
  });

  test('the layer’s check says how to install for another platform', async (context) => {
    const directory = await temporaryDirectory(context);

    await assert.rejects(
      buildLayer(join(directory, 'out'), { from: [directory] }),
      /npm install --prefix layers\/onnx/,
    );
  });

  test('the layer has the project’s versions', async () => {
    const [own, project] = [await readJson('../../layers/onnx/package.json'), await readJson('../../package.json')];

    const declared = { ...project.devDependencies, ...project.dependencies };
    for (const [name, version] of Object.entries(own.dependencies)) assert.equal(version, declared[name]);
  });
});

const writePackage = async (directory: string, name: string, content: object): Promise<void> => {
  await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, name, 'package.json'), JSON.stringify({ name, ...content }));
};
