import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseDockerfile } from '../support/dockerfile.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const source = read('functions/inference/Dockerfile');
const file = parseDockerfile(source);
const textOf = (stage: string, name?: string): string =>
  file
    .chain(stage)
    .flatMap(({ instructions }) => instructions.filter((each) => name === undefined || each.name === name))
    .map(({ text }) => text)
    .join('\n');
const only = (stage: string, name: string): readonly string[] =>
  (file.stages.get(stage)?.instructions ?? []).filter((each) => each.name === name).map(({ text }) => text);

describe('the inference container image', () => {
  test('C.04 one file has a target for Lambda and one for Batch, both on Node 24', () => {
    assert.equal(file.args.NODE, read('package.json').match(/"node": "(\d+)/)?.[1]);
    assert.equal(file.stages.get('cpu')?.from, 'public.ecr.aws/lambda/nodejs:24');
    assert.match(file.stages.get('gpu')?.from ?? '', /^nvidia\/cuda:12\.[\d.]+-cudnn-runtime-/);
    assert.match(file.stages.get('node')?.from ?? '', /\/node:24-/);
    assert.ok(only('gpu', 'COPY').includes('--from=node /usr/local/bin/node /usr/local/bin/node'));
    assert.deepEqual(only('cpu', 'CMD'), ['["index.handler"]']);
    assert.deepEqual(only('gpu', 'ENTRYPOINT'), ['["node", "index.mjs"]']);
  });

  test('C.04 both inference images carry bundles of files that exist', () => {
    const bundled = [...textOf('build', 'RUN').matchAll(/bundle-cli\.ts (\S+) (\S+)/g)].map(([, from, to]) => [
      from,
      to,
    ]);

    assert.deepEqual(bundled, [
      ['functions/inference/lambda.ts', '/out/lambda'],
      ['functions/inference/main.ts', '/out/batch'],
    ]);
    for (const [from = ''] of bundled) assert.ok(existsSync(join(root, from)), from);
    assert.ok(only('cpu', 'COPY').some((text) => text.startsWith('--from=build /out/lambda/')));
    assert.ok(only('gpu', 'COPY').some((text) => text.startsWith('--from=build /out/batch/')));
  });

  test('C.04 the CUDA build fails without the provider’s library; the CPU build has none', () => {
    const steps = only('natives-cuda', 'RUN');

    assert.match(steps[0] ?? '', /ONNXRUNTIME_NODE_INSTALL=cuda12 node script\/install\.js$/);
    assert.match(steps[1] ?? '', /test -s \S+\/libonnxruntime_providers_cuda\.so .*\|\| \{ .*exit 1; \}$/);
    assert.ok(only('gpu', 'COPY').some((text) => text.startsWith('--from=natives-cuda ')));
    assert.ok(only('cpu', 'COPY').some((text) => text.startsWith('--from=natives ')));
    assert.doesNotMatch(textOf('cpu'), /cuda/i);
  });

  test('the GPU worker runs on CUDA, not as root', () => {
    assert.deepEqual(only('gpu', 'ENV'), ['ASSAY_PROVIDERS=cuda']);
    assert.match(only('gpu', 'USER')[0] ?? '', /^[1-9]\d+:[1-9]\d+$/);
    assert.equal(file.stages.get('gpu')?.instructions.at(-1)?.name, 'ENTRYPOINT');
  });

  test('the inference image contains no secrets, and only files that the stack passes to the build', () => {
    const handed = read('infra/constructs/inference-image.ts');
    const copied = file
      .chain('build')
      .flatMap(({ instructions }) => instructions.filter(({ name }) => name === 'COPY'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1));

    for (const path of copied) {
      assert.ok(existsSync(join(root, path)), path);
      assert.ok(handed.includes(`'${path}'`), `${path} is not handed to the build`);
    }
    assert.doesNotMatch(source, /secret|password|token|AWS_(ACCESS|SESSION)|--build-arg|^ADD /im);
  });
});
