import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { about } from '../../functions/api/about.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The packages of the design, each with a file where it does its work in the deployed product. */
const packages = {
  hono: 'functions/api/app.ts',
  '@aws-sdk/client-dynamodb': 'shared/adapters/aws/dynamo-access.ts',
  '@aws-sdk/client-s3': 'shared/adapters/aws/s3-blobs.ts',
  'onnxruntime-node': 'shared/adapters/onnx/sessions.ts',
  sharp: 'shared/adapters/onnx/decode.ts',
  zod: 'shared/model/tool.ts',
  'aws-cdk-lib': 'infra/app.ts',
  esbuild: 'infra/build/bundle.ts',
} as const;

describe('the repository', () => {
  test('C.09 the top level has the folders of the design', () => {
    const parts = [
      'package.json',
      'cdk.json',
      'README.md',
      'infra',
      'functions',
      'layers/onnx',
      'shared',
      'metadata',
      'test',
    ];

    assert.deepEqual(
      parts.filter((part) => !existsSync(`${root}/${part}`)),
      [],
    );
  });

  test('C.10 the direct dependencies are those of the design, each used on its real path', async () => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
    const direct = { ...dependencies, ...devDependencies };

    for (const [name, file] of Object.entries(packages)) {
      assert.match(direct[name] ?? '', /^\d+\.\d+\.\d+$/, name);
      assert.match(await readFile(`${root}/${file}`, 'utf8'), new RegExp(`from '${name}['/]`), file);
    }
  });

  test('one version is in package.json, the OpenAPI document, MCP and server.json', async () => {
    const { version } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
    const server = JSON.parse(await readFile(`${root}/server.json`, 'utf8'));

    assert.deepEqual([about.version, server.version, server.packages[0].version], [version, version, version]);
  });

  test('C.08 CDK alone deploys the project', async () => {
    const others = await Array.fromAsync(glob('{sst.config.*,serverless.y*ml,template.y*ml,*.tf}', { cwd: root }));
    const { scripts } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));

    assert.deepEqual(others, []);
    for (const script of ['synth', 'deploy', 'destroy', 'cost']) assert.ok(scripts[script], script);
  });
});
