import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { blobModelFiles } from '../../shared/adapters/onnx/model-files.ts';
import { probeInProcess } from '../../shared/adapters/onnx/probe-process.ts';
import { createComputations } from '../../shared/iqa/computations.ts';
import { createGraph, type GraphBuilder, type Ref } from '../../shared/iqa/graph.ts';
import { recipeFor } from '../../shared/iqa/model-recipe.ts';
import { createModelStore, type ModelStore } from '../../shared/iqa/models.ts';
import { Preprocessing } from '../../shared/iqa/preprocess.ts';
import { isToolAvailable } from '../../shared/iqa/queries.ts';
import { scoreImage } from '../../shared/iqa/score.ts';
import { shippedComputations } from '../../shared/iqa/shipped.ts';
import { goldenImage, scoring, shippedCatalogue, testEngine } from '../support/iqa.ts';
import { loopingModel } from '../support/looping-model.ts';

const golden = (name: string): string => fileURLToPath(new URL(`../golden/iqa/models/${name}`, import.meta.url));
const catalogue = shippedCatalogue();
const image = goldenImage('chelsea_jpeg_2.png');
const reference = goldenImage('chelsea.png');
const tenant = 'default';

// One convolution of fixed weights, squared and averaged: what a learned model is made of, made small.
const energy = (graph: GraphBuilder, picture: Ref): Ref => {
  const taps = Float32Array.from({ length: 27 }, (_, i) => Math.sin(i + 1) / 9);
  const edges = graph.op('Relu', [graph.conv(picture, graph.constant(taps, [1, 3, 3, 3]))]);
  return graph.sum(graph.mul(edges, edges), [0, 1, 2, 3]);
};
const shape = [1, 3, 'height', 'width'];
const blindModel = (): Uint8Array => {
  const graph = createGraph('blind');
  const score = energy(graph, graph.input('image', 'float32', shape));
  return graph.build({ score: { value: graph.reshape(score, [1]), shape: [1] } }).bytes;
};
const pairModel = (): Uint8Array => {
  const graph = createGraph('pair');
  const [picture, other] = [graph.input('image', 'float32', shape), graph.input('reference', 'float32', shape)];
  const difference = graph.sub(energy(graph, picture), energy(graph, other));
  return graph.build({ score: { value: graph.reshape(difference, [1]), shape: [1] } }).bytes;
};

describe('model files of learned tools', () => {
  const engine = testEngine();
  let folder: string;
  let store: ModelStore;
  let blobs: ReturnType<typeof memoryBlobs>;
  const storeOn = (place: string) =>
    createModelStore({
      catalogue,
      blobs,
      engine,
      clock: { now: () => 0 },
      // Parts of 1000 bytes, so that even a small file has several.
      files: blobModelFiles(blobs, join(folder, place), 1000),
    });
  const scoringWith = (models: ModelStore) =>
    scoring(engine, { catalogue, computations: createComputations(shippedComputations(), models) });
  const file = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    await writeFile(join(folder, name), bytes);
    return join(folder, name);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-models-'));
    blobs = memoryBlobs();
    store = storeOn('first');
  });
  after(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });

  test('R0.18 a learned tool becomes available when its model is added', async () => {
    const { deps } = scoringWith(store);
    const isAvailable = async () => isToolAvailable(catalogue, 'topiq_nr', await deps.computations.availability());
    assert.equal(await isAvailable(), false);

    const record = await store.add({ tool: 'TOPIQ_NR', path: await file('blind.onnx', blindModel()) });

    assert.equal(await isAvailable(), true);
    assert.equal(record.tool, 'topiq_nr');
    assert.match(record.sha256, /^[0-9a-f]{64}$/);
    assert.ok(Number.isFinite(record.sample_score));
    assert.deepEqual(
      (await store.list()).map(({ tool }) => tool),
      ['topiq_nr'],
    );
  });

  test('R0.05 R0.06 a no-reference model gets the picture as RGB in [0, 1], N x 3 x H x W', async () => {
    await store.add({ tool: 'topiq_nr', path: await file('blind.onnx', blindModel()) });
    const { deps } = scoringWith(store);
    const { pixels } = await engine.decode(image.bytes);

    const { scores } = await scoreImage(deps, { tenant, image, tools: ['topiq_nr'] });

    const expected = energyOf(pixels);
    assert.ok(Math.abs((scores[0]?.raw ?? 0) / expected - 1) < 1e-4, `${scores[0]?.raw}, expected ${expected}`);
    assert.match(scores[0]?.warnings[0] ?? '', /no logistic_params/);
  });

  test('R0.04 a full-reference model gets the picture first and the reference second', async () => {
    await store.add({ tool: 'dists', path: await file('pair.onnx', pairModel()) });
    const { deps } = scoringWith(store);
    const raw = async (a: typeof image, b: typeof image) =>
      (await scoreImage(deps, { tenant, image: a, reference: b, tools: ['dists'] })).scores[0]?.raw ?? Number.NaN;

    const [forth, back, same] = [await raw(image, reference), await raw(reference, image), await raw(image, image)];

    assert.ok(Math.abs(forth + back) < 1e-3 * Math.abs(forth));
    assert.equal(same, 0);
  });

  test('R0.12 scores of another model are never reused', async () => {
    const { deps } = scoringWith(store);
    await store.add({ tool: 'topiq_nr', path: await file('blind.onnx', blindModel()) });
    const first = await scoreImage(deps, { tenant, image, tools: ['topiq_nr'] });

    await store.add({ tool: 'topiq_nr', path: golden('no-reference.onnx') });
    const second = await scoreImage(deps, { tenant, image, tools: ['topiq_nr'] });

    assert.equal(second.scores[0]?.cached, false);
    const folders = (await blobs.list('models/topiq_nr/')).map((key) => key.split('/')[2]);
    assert.equal(new Set(folders).size, 2, 'the old files are gone, the new ones and the record are there');
    assert.notEqual(second.scores[0]?.raw, first.scores[0]?.raw);
  });

  test('a model exported from PyTorch, with its weights in a file beside it, gives the score PyTorch gave', async () => {
    const record = await store.add({ tool: 'topiq_nr', path: golden('no-reference.onnx') });
    await store.add({ tool: 'topiq_fr', path: golden('full-reference.onnx') });
    // Another machine has nothing but the store.
    const { deps } = scoringWith(storeOn('second'));

    const blind = await scoreImage(deps, { tenant, image, tools: ['topiq_nr'] });
    const full = await scoreImage(deps, { tenant, image, reference, tools: ['topiq_fr'] });

    assert.deepEqual(
      record.files.map(({ name }) => name),
      ['no-reference.onnx', 'no-reference.onnx.data'],
    );
    assert.ok(Math.abs((blind.scores[0]?.raw ?? 0) - 0.5514906) < 1e-5);
    assert.ok(Math.abs((full.scores[0]?.raw ?? 0) / 1.13014594e-5 - 1) < 1e-3);
  });

  test('X.15 a file that a model only mentions, such as its export script, is not stored with it', async () => {
    const graph = createGraph('export.py');
    const score = energy(graph, graph.input('image', 'float32', shape));
    await file('export.py', 'print(1)');
    const path = await file('m.onnx', graph.build({ score: { value: graph.reshape(score, [1]), shape: [1] } }).bytes);

    const { files } = await store.add({ tool: 'topiq_nr', path });

    assert.deepEqual(
      files.map(({ name }) => name),
      ['m.onnx'],
    );
  });

  test('R0.13 a cached score does not even load the model file', async () => {
    await store.add({ tool: 'topiq_nr', path: await file('blind.onnx', blindModel()) });
    const { deps } = scoringWith(store);
    await scoreImage(deps, { tenant, image, tools: ['topiq_nr'] });
    const found = (await store.find('topiq_nr')) ?? assert.fail();
    const unopened = { ...store, find: async () => ({ ...found, open: () => assert.fail('it was fetched') }) };

    const { scores } = await scoreImage(
      { ...deps, computations: createComputations(shippedComputations(), unopened) },
      { tenant, image, tools: ['topiq_nr'] },
    );

    assert.equal(scores[0]?.cached, true);
  });

  test('verifying a model scores its sample again, and detects a changed file', async () => {
    const record = await store.add({ tool: 'topiq_nr', path: await file('blind.onnx', blindModel()) });

    const verified = await storeOn('third').verify('topiq_nr');

    assert.equal(verified.score_now, record.sample_score);
    const [part] = (await blobs.list(`models/topiq_nr/${record.sha256}/`)).filter((key) => key.includes('.part'));
    await blobs.put(part ?? '', new Uint8Array(1000));
    await assert.rejects(storeOn('fourth').verify('topiq_nr'), {
      name: 'Unavailable',
      message: /blind\.onnx in the model store is not the file that was added/,
    });
    await store.remove('topiq_nr');
    assert.equal((await store.names()).has('topiq_nr'), false);
    await assert.rejects(store.verify('topiq_nr'), { name: 'NotFound' });
  });

  test('X.15 a model with a fixed input size is accepted when pictures are resized to it, and then scores any size', async () => {
    const graph = createGraph('fixed');
    const score = energy(graph, graph.input('image', 'float32', [1, 3, 224, 224]));
    const bytes = graph.build({ score: { value: graph.reshape(score, [1]), shape: [1] } }).bytes;
    await file(
      'cnniqa.json',
      JSON.stringify({ tool: 'cnniqa', preprocessing: { resize: { size: 224, fit: 'exact' } }, scores: [] }),
    );

    await store.add({ tool: 'cnniqa', path: await file('cnniqa.onnx', bytes) });

    const { scores } = await scoreImage(scoringWith(store).deps, { tenant, image, tools: ['cnniqa'] });
    assert.ok(Number.isFinite(scores[0]?.raw));
    assert.equal(scores[0]?.normalized, undefined, 'and without parameters it has no place on 1..5');
  });

  test('X.15 adding a model compares its score with that at export, and records both', async () => {
    const path = await file('blind.onnx', blindModel());
    const { sample_score } = await store.add({ tool: 'topiq_nr', path });
    const scores = [{ width: 320, height: 256, score: sample_score }];
    await file('blind.json', JSON.stringify({ tool: 'topiq_nr', preprocessing: {}, scores }));

    const record = await store.add({ tool: 'topiq_nr', path });

    assert.deepEqual(record.compared_with, scores);
    await rm(join(folder, 'blind.json'));
  });

  test('a model is tried in a separate process, which is killed at the timeout', async () => {
    const model = { path: await file('blind.onnx', blindModel()), digest: 'd', preprocessing: Preprocessing.parse({}) };
    const tool = catalogue.find('topiq_nr') ?? assert.fail();

    const { scores, inputs } = await probeInProcess()(tool, model);

    assert.equal(inputs[0]?.name, 'image');
    assert.equal(scores.length, 2);
    await assert.rejects(probeInProcess(1)(tool, model), { name: 'InvalidInput', message: /took longer than/ });
    const broken = { ...model, path: await file('text.onnx', 'no model') };
    await assert.rejects(probeInProcess()(tool, broken), { name: 'InvalidInput', message: /does not open/ });
  });

  test('X.15 a model with an endless loop is refused at the timeout, and the same one that ends is accepted', async () => {
    const tool = catalogue.find('topiq_nr') ?? assert.fail();
    const tried = async (isEndless: boolean) => {
      const path = await file('looping.onnx', loopingModel({ isEndless }));
      return probeInProcess(isEndless ? 2000 : undefined)(tool, {
        path,
        digest: String(isEndless),
        preprocessing: Preprocessing.parse({}),
      });
    };

    assert.equal((await tried(false)).scores.length, 2);
    await assert.rejects(tried(true), {
      name: 'InvalidInput',
      message: 'the model of topiq_nr took longer than 2 s on the sample pictures; export it anew',
    });
  });

  test('X.15 the export recipe passes inputs by position, for one or two pictures, with external data', () => {
    const blind = recipeFor({ name: 'topiq_nr', type: 'NR' });
    const full = recipeFor({ name: 'lpips+', type: 'FR' });

    assert.match(blind, /INPUTS = \["image"\]/);
    assert.match(full, /INPUTS = \["image", "reference"\]/);
    assert.match(full, /STEM = "lpips-plus"/);
    assert.match(full, /def forward\(self, image, reference\)/);
    assert.match(blind, /dynamic_shapes=None if is_fixed else tuple\(size for _ in arguments\)/);
  });

  const refusals: readonly (readonly [string, string, () => Promise<string>, RegExp])[] = [
    ['a file that is no ONNX model', 'topiq_nr', () => file('text.onnx', 'no model'), /does not open as an ONNX model/],
    [
      'a model of two pictures for one',
      'topiq_nr',
      () => file('p.onnx', pairModel()),
      /takes one picture, 1 input, the model has 2/,
    ],
    [
      'a model of one picture for two',
      'dists',
      () => file('b.onnx', blindModel()),
      /takes picture and reference, 2 inputs/,
    ],
    ['an unknown tool', 'topiq', () => file('b.onnx', blindModel()), /there is no image-quality tool topiq/],
    ['a tool that ships', 'ssim', () => file('b.onnx', blindModel()), /ssim ships with its own computation/],
    ['a file that is not there', 'topiq_nr', async () => join(folder, 'absent.onnx'), /absent\.onnx/],
    [
      'weights that are not beside it',
      'topiq_nr',
      async () => {
        const alone = join(await mkdtemp(join(folder, 'alone-')), 'no-reference.onnx');
        await copyFile(golden('no-reference.onnx'), alone);
        return alone;
      },
      /does not open as an ONNX model/,
    ],
    [
      'a model that gives no finite number',
      'topiq_nr',
      () => {
        const graph = createGraph('broken');
        const picture = graph.input('image', 'float32', shape);
        const zero = graph.sub(picture, picture);
        const score = graph.reshape(graph.sum(graph.div(zero, zero), [0, 1, 2, 3]), [1]);
        return file('nan.onnx', graph.build({ score: { value: score, shape: [1] } }).bytes);
      },
      /sample picture/,
    ],
    [
      'a model of one size that nothing brings pictures to',
      'topiq_nr',
      () => {
        const graph = createGraph('fixed');
        const score = energy(graph, graph.input('image', 'float32', [1, 3, 224, 224]));
        return file('fixed.onnx', graph.build({ score: { value: graph.reshape(score, [1]), shape: [1] } }).bytes);
      },
      /takes pictures of 224 x 224 only; .*"resize": \{"size": 224, "fit": "exact"\}/,
    ],
    [
      'a model that runs on one size alone, whatever it says',
      'topiq_nr',
      () => {
        const graph = createGraph('sized');
        const picture = graph.input('image', 'float32', shape);
        const score = energy(graph, graph.reshape(picture, [1, 3, 256, 320]));
        return file('sized.onnx', graph.build({ score: { value: graph.reshape(score, [1]), shape: [1] } }).bytes);
      },
      /does not run on a sample picture of 256 x 384/,
    ],
    [
      'a model of two outputs',
      'topiq_nr',
      () => {
        const graph = createGraph('two');
        const value = graph.reshape(energy(graph, graph.input('image', 'float32', shape)), [1]);
        return file('two.onnx', graph.build({ a: { value, shape: [1] }, b: { value, shape: [1] } }).bytes);
      },
      /it has 2 outputs \(a, b\); name the score/,
    ],
    [
      'a model that was exported for another tool',
      'topiq_nr',
      async () => {
        await file('other.json', JSON.stringify({ tool: 'cnniqa', preprocessing: {}, scores: [] }));
        return file('other.onnx', blindModel());
      },
      /was exported as cnniqa, not as topiq_nr/,
    ],
    [
      'a model that no longer gives what PyTorch gave',
      'topiq_nr',
      async () => {
        const scores = [{ width: 320, height: 256, score: 12.5 }];
        await file('drift.json', JSON.stringify({ tool: 'topiq_nr', preprocessing: {}, scores }));
        return file('drift.onnx', blindModel());
      },
      /PyTorch gave 12.5 when it was exported/,
    ],
    [
      'a model of one size that does not give what PyTorch gave at it',
      'cnniqa',
      async () => {
        const graph = createGraph('fixed');
        const score = energy(graph, graph.input('image', 'float32', [1, 3, 64, 64]));
        const preprocessing = { resize: { size: 64, fit: 'exact' } };
        const scores = [{ width: 64, height: 64, score: 12.5 }];
        await file('size.json', JSON.stringify({ tool: 'cnniqa', preprocessing, scores }));
        return file('size.onnx', graph.build({ score: { value: graph.reshape(score, [1]), shape: [1] } }).bytes);
      },
      /sample picture of 64 x 64, PyTorch gave 12.5/,
    ],
    [
      'a model of grey pictures',
      'topiq_nr',
      () => {
        const graph = createGraph('grey');
        const picture = graph.input('image', 'float32', [1, 1, 'height', 'width']);
        const score = graph.reshape(graph.sum(picture, [0, 1, 2, 3]), [1]);
        return file('grey.onnx', graph.build({ score: { value: score, shape: [1] } }).bytes);
      },
      /a picture is NCHW with 3 channels/,
    ],
  ];
  for (const [what, tool, path, message] of refusals) {
    test(`${what} is refused with what to do, and nothing is stored`, async () => {
      const before = await blobs.list('');

      await assert.rejects(store.add({ tool, path: await path() }), (thrown: Error) => {
        assert.match(thrown.message, message);
        return ['InvalidInput', 'NotFound', 'Conflict'].includes(thrown.name);
      });
      assert.deepEqual(await blobs.list(''), before);
    });
  }
});

const energyOf = ({ width, height, data }: { width: number; height: number; data: Uint8Array }): number => {
  let total = 0;
  for (let y = 0; y + 3 <= height; y++) {
    for (let x = 0; x + 3 <= width; x++) {
      let sum = 0;
      for (let i = 0; i < 27; i++) {
        const [channel, row, column] = [Math.floor(i / 9), Math.floor(i / 3) % 3, i % 3];
        sum += (Math.sin(i + 1) / 9) * ((data[3 * ((y + row) * width + x + column) + channel] ?? 0) / 255);
      }
      total += Math.max(sum, 0) ** 2;
    }
  }
  return total;
};
