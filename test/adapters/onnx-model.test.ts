import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { LearnedModel, Picture } from '../../shared/iqa/engine.ts';
import { createGraph, type GraphBuilder, type Ref } from '../../shared/iqa/graph.ts';
import { Preprocessing } from '../../shared/iqa/preprocess.ts';
import { testEngine } from '../support/iqa.ts';

const side = 16;

const solid = (red: number, green: number, blue: number, width = 40, height = 30): Picture => {
  const data = new Uint8Array(new SharedArrayBuffer(width * height * 3));
  for (let at = 0; at < data.length; at++) data[at] = [red, green, blue][at % 3] ?? 0;
  return { name: 'solid.png', format: 'png', pixels: { width, height, data }, notes: [] };
};

/** A small convolutional network with fixed weights: 3 -> 4 channels, rectified, averaged, weighted. */
function features(graph: GraphBuilder, image: Ref): Ref {
  const kernels = Float32Array.from({ length: 4 * 3 * 9 }, (_, at) => ((at * 37) % 19) / 50 - 0.15);
  const convolved = graph.conv(image, graph.constant(kernels, [4, 3, 3, 3]));
  const mean = graph.mul(graph.sum(graph.op('Relu', [convolved]), [2, 3]), 1 / (side - 2) ** 2);
  return graph.op('MatMul', [mean, graph.constant([0.5, -0.25, 1, 0.75], [4, 1])]);
}

const noReference = () => {
  const graph = createGraph('tiny_nr');
  const image = graph.input('image', 'float32', [1, 3, side, side]);
  return graph.build({ score: { value: features(graph, image), shape: [1, 1] } });
};

const fullReference = () => {
  const graph = createGraph('tiny_fr');
  const shape = [1, 3, side, side];
  const distorted = features(graph, graph.input('distorted', 'float32', shape));
  const reference = features(graph, graph.input('reference', 'float32', shape));
  return graph.build({ score: { value: graph.op('Abs', [graph.sub(distorted, reference)]), shape: [1, 1] } });
};

/** What the network gives for a picture of one colour. */
function expected(rgb: readonly number[]): number {
  return [0.5, -0.25, 1, 0.75].reduce((total, weight, output) => {
    let sum = 0;
    for (let at = 0; at < 27; at++)
      sum +=
        ((((output * 27 + at) * 37) % 19) / 50) * (rgb[Math.floor(at / 9)] ?? 0) -
        0.15 * (rgb[Math.floor(at / 9)] ?? 0);
    return total + weight * Math.max(0, sum);
  }, 0);
}

describe('learned models', () => {
  const engine = testEngine();
  const directory = mkdtempSync(join(tmpdir(), 'assay-models-'));
  after(async () => {
    await engine.close();
    rmSync(directory, { recursive: true });
  });

  const store = (name: string, bytes: Uint8Array, settings: Partial<Preprocessing>): LearnedModel => {
    const path = join(directory, name);
    writeFileSync(path, bytes);
    const digest = createHash('sha256').update(bytes).digest('hex');
    return { path, digest, preprocessing: Preprocessing.parse(settings) };
  };
  const resize = { size: side, fit: 'exact', kernel: 'bilinear', antialias: true } as const;

  test('R0.05 a no-reference network runs with its preprocessing', async () => {
    const mean: [number, number, number] = [0.485, 0.456, 0.406];
    const std: [number, number, number] = [0.229, 0.224, 0.225];
    const model = store('nr.onnx', noReference().bytes, { resize, mean, std });

    const score = await engine.score({ tool: 'topiq_nr', picture: solid(200, 100, 50), model });

    const normalised = [200, 100, 50].map((byte, channel) => (byte / 255 - (mean[channel] ?? 0)) / (std[channel] ?? 1));
    assert.ok(Math.abs(score - expected(normalised)) < 1e-5);
  });

  test('R0.04 a full-reference network gets the picture first, then the reference', async () => {
    const model = store('fr.onnx', fullReference().bytes, {
      resize,
      range: [-1, 1],
      inputs: ['distorted', 'reference'],
    });
    const [picture, reference] = [solid(250, 20, 128), solid(30, 60, 90)];

    const score = await engine.score({ tool: 'lpips', picture, reference, model });
    const same = await engine.score({ tool: 'lpips', picture, reference: picture, model });

    const value = (rgb: readonly number[]) => expected(rgb.map((byte) => (2 * byte) / 255 - 1));
    assert.ok(Math.abs(score - Math.abs(value([250, 20, 128]) - value([30, 60, 90]))) < 1e-5);
    assert.equal(same, 0);
  });

  test('inspecting an ONNX file lists its inputs and outputs', async () => {
    const { path } = store('fr2.onnx', fullReference().bytes, {});

    const { inputs, outputs } = await engine.inspect(path);

    assert.deepEqual(inputs, [
      { name: 'distorted', type: 'float32', shape: [1, 3, side, side] },
      { name: 'reference', type: 'float32', shape: [1, 3, side, side] },
    ]);
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ['score'],
    );
  });

  test('a file that is not an ONNX model is refused', async () => {
    const { path } = store('bad.onnx', Buffer.from('not a model at all'), {});

    await assert.rejects(engine.inspect(path), {
      name: 'InvalidInput',
      message: /bad\.onnx does not open as an ONNX model/,
    });
    const model = { path, digest: 'x', preprocessing: Preprocessing.parse({}) };
    await assert.rejects(engine.score({ tool: 'nima', picture: solid(1, 2, 3), model }), {
      name: 'ToolExecutionError',
      message: /nima on solid\.png failed/,
    });
  });

  test('a picture of a size that the model does not accept fails with the cause', async () => {
    const model = store('fixed.onnx', noReference().bytes, {});

    await assert.rejects(engine.score({ tool: 'hyperiqa', picture: solid(1, 2, 3), model }), {
      name: 'ToolExecutionError',
      message: /hyperiqa on solid\.png failed: .*dimension/i,
    });
  });

  test('the score of a model that outputs a distribution is its mean rating', async () => {
    const graph = createGraph('ratings');
    const image = graph.input('image', 'float32', [1, 3, 'height', 'width']);
    const bright = graph.mul(graph.sum(image, [0, 1, 2, 3]), 0);
    const ratings = graph.add(bright, graph.constant([0.1, 0.2, 0.3, 0.2, 0.2], [1, 5]));
    const built = graph.build({ ratings: { value: ratings, shape: [1, 5] } });
    const model = store('nima.onnx', built.bytes, { reading: 'distribution' });

    const score = await engine.score({ tool: 'nima', picture: solid(9, 9, 9), model });

    assert.ok(Math.abs(score - 3.2) < 1e-6);
    const scalar = { ...model, preprocessing: Preprocessing.parse({}) };
    await assert.rejects(engine.score({ tool: 'nima', picture: solid(9, 9, 9), model: scalar }), {
      name: 'InvalidInput',
      message: /gives 5 numbers instead of one score/,
    });
  });

  test('weights in a file beside the model are loaded', async () => {
    const { model, weights } = withExternalWeights();
    writeFileSync(join(directory, 'weights.bin'), weights);
    const stored = store('external.onnx', model, {});

    const score = await engine.score({ tool: 'qalign', picture: solid(255, 0, 0), model: stored });

    assert.ok(Math.abs(score - 7) < 1e-6);
  });
});

/** y = sum of the picture times a weight of 7 / (40 * 30) kept in weights.bin, encoded by hand field by field. */
function withExternalWeights(): { readonly model: Uint8Array; readonly weights: Uint8Array } {
  const weights = new Uint8Array(Float32Array.of(7 / 1200).buffer);
  const text = (value: string) => Buffer.from(value, 'utf8');
  const field = (tag: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([(tag << 3) | 2, bytes.length]), bytes]);
  const number = (tag: number, value: number) => Buffer.from([tag << 3, value]);
  const join = (...parts: readonly Uint8Array[]) => Buffer.concat(parts);
  const entry = (key: string, value: string) => field(13, join(field(1, text(key)), field(2, text(value))));
  const tensor = join(
    number(1, 1),
    number(2, 1),
    field(8, text('w')),
    entry('location', 'weights.bin'),
    entry('offset', '0'),
    entry('length', '4'),
    join(Buffer.from([14 << 3, 1])),
  );
  const value = (name: string, sizes: readonly number[]) => {
    const shape = join(...sizes.map((size) => field(1, size > 0 ? number(1, size) : field(2, text('n')))));
    return join(field(1, text(name)), field(2, field(1, join(number(1, 1), field(2, shape)))));
  };
  const node = (op: string, inputs: readonly string[], output: string) =>
    join(...inputs.map((name) => field(1, text(name))), field(2, text(output)), field(4, text(op)));
  const graph = join(
    field(1, node('ReduceSum', ['x'], 's')),
    field(1, node('Mul', ['s', 'w'], 'y')),
    field(2, text('external')),
    field(5, tensor),
    field(11, value('x', [1, 3, 0, 0])),
    field(12, value('y', [1, 1, 1, 1])),
  );
  const length = Buffer.from([(graph.length & 127) | 128, graph.length >> 7]);
  const model = join(
    number(1, 8),
    Buffer.from([(7 << 3) | 2]),
    length,
    graph,
    field(8, join(field(1, text('')), number(2, 18))),
  );
  return { model, weights };
}
