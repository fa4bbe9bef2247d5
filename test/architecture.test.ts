import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readDiagram } from './support/module-diagram.ts';
import { cyclesIn, graphOf, type Import, importsOf, moduleOf, readSources } from './support/source-graph.ts';
import { unusedExports } from './support/unused-exports.ts';

const sources = await readSources();
const imports = sources.flatMap(importsOf);

const core =
  /^shared\/(kernel|model|access|search|providers|iqa|connect|registry|sources|insight|execute|decide|plan|uploads)\//;
const worldly =
  /^(@aws-sdk\/|@hono\/|hono|onnxruntime-node|sharp|node:(fs|http|https|net|sqlite|child_process|worker_threads|os|process|dns|tls|dgram))/;

/** The folders of `shared`, lowest first: each may import those of earlier lines, none of its own. */
const LAYERS = [
  ['kernel'],
  ['model'],
  ['access', 'search', 'providers', 'iqa', 'connect'],
  ['registry'],
  ['insight', 'sources'],
  ['execute'],
  ['decide'],
  ['plan'],
  ['uploads'],
  ['adapters', 'assay.ts', 'index.ts'],
].map((line) => line.map((name) => `shared/${name}`));

/** What a folder of `functions` may import of the others. `compose` holds what several of them are made of. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  compose: [],
  edge: [],
  rotate: [],
  stream: [],
  api: ['compose'],
  step: ['compose'],
  upload: ['compose'],
  'give-up': ['compose'],
  inference: ['compose'],
  client: ['api'],
  console: ['api'],
  library: ['compose'],
  cli: ['client', 'compose', 'api', 'console'],
};

const offenders = (rule: (each: Import) => boolean): readonly string[] =>
  imports.filter(rule).map(({ from, to }) => `${from} -> ${to}`);

const filesWith = (pattern: RegExp, isWatched: (file: string) => boolean): readonly string[] =>
  sources
    .filter(({ file, text }) => isWatched(file) && pattern.test(text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')))
    .map(({ file }) => file);

describe('imports point inwards', () => {
  test('the architecture scan sees the sources, their imports and the threads they start', () => {
    assert.ok(sources.length > 400);
    assert.ok(imports.length > 2000);
    for (const to of ['shared/adapters/onnx/worker.ts', 'shared/adapters/node/builtin-child.ts'])
      assert.ok(
        imports.some((each) => each.to === to && each.when === 'later'),
        to,
      );
  });

  test('an import cycle is found wherever it begins', () => {
    const arrows = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
    ].map(([from = '', to = '']): Import => ({ from, to, when: 'start' }));

    assert.deepEqual(cyclesIn(graphOf(arrows, (name) => name)), ['b -> c -> b']);
    assert.deepEqual(cyclesIn(graphOf(arrows.slice(0, 2), (name) => name)), []);
  });

  test('folders of shared, functions and infra form no import cycle', () => {
    assert.deepEqual(cyclesIn(graphOf(imports, moduleOf)), []);
  });

  test('files form no cycle of runtime imports', () => {
    const isSource = (file: string) => (moduleOf(file) === undefined ? undefined : file);
    assert.deepEqual(
      cyclesIn(
        graphOf(
          imports.filter(({ when }) => when === 'start'),
          isSource,
        ),
      ),
      [],
    );
  });

  test('a folder of shared imports lower ones only', () => {
    const level = new Map(LAYERS.flatMap((line, index) => line.map((name) => [name, index] as const)));
    const levelOf = (file: string) => level.get(moduleOf(file) ?? '') ?? Number.NaN;

    assert.deepEqual(
      sources.filter(({ file }) => file.startsWith('shared/') && Number.isNaN(levelOf(file))).map(({ file }) => file),
      [],
    );
    assert.deepEqual(
      offenders(
        ({ from, to }) =>
          from.startsWith('shared/') &&
          to.startsWith('shared/') &&
          moduleOf(from) !== moduleOf(to) &&
          !(levelOf(to) < levelOf(from)),
      ),
      [],
    );
  });

  test('a folder of functions imports only those declared for it', () => {
    const nameOf = (file: string) => (file.startsWith('functions/') ? file.split('/')[1] : undefined);

    assert.deepEqual(
      offenders(({ from, to }) => {
        const [source, target] = [nameOf(from), nameOf(to)];
        if (source === undefined || target === undefined || source === target) return false;
        return !FUNCTIONS[source]?.includes(target);
      }),
      [],
    );
  });

  test('the core reaches no SDK, no framework and no I/O', () => {
    assert.deepEqual(
      offenders(({ from, to }) => core.test(from) && worldly.test(to)),
      [],
    );
  });

  test('the model imports nothing but zod, the kernel and itself', () => {
    assert.deepEqual(
      offenders(
        ({ from, to }) => from.startsWith('shared/model/') && to !== 'zod' && !/^shared\/(model|kernel)\//.test(to),
      ),
      [],
    );
  });

  test('nothing in shared imports functions or infra', () => {
    assert.deepEqual(
      offenders(({ from, to }) => from.startsWith('shared/') && /^(functions|infra)\//.test(to)),
      [],
    );
  });

  test('infra imports neither shared nor functions', () => {
    assert.deepEqual(
      offenders(({ from, to }) => from.startsWith('infra/') && /^(functions|shared)\//.test(to)),
      [],
    );
  });
});

describe('sources keep their limits', () => {
  test('the core reads no clock, no randomness and no environment', () => {
    const pattern = /\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env|performance\.now\(/;
    assert.deepEqual(
      filesWith(pattern, (file) => core.test(file)),
      [],
    );
  });

  test('only deps.ts and the process entries read the environment', () => {
    assert.deepEqual(
      filesWith(/process\.env/, (file) => /^(functions|shared)\//.test(file) && !/\/(deps|main)\.ts$/.test(file)),
      [],
    );
  });

  test('every export is imported somewhere', async () => {
    assert.deepEqual(await unusedExports(), []);
  });

  test('ARCHITECTURE.md shows the modules as they are (npm run architecture redraws them)', async () => {
    const { is, shall } = await readDiagram();

    assert.equal(is, shall);
  });

  test('no file is past 250 lines', () => {
    assert.deepEqual(
      sources.filter(({ text }) => text.split('\n').length - 1 > 250).map(({ file }) => file),
      [],
    );
  });
});
