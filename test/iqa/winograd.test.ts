import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { createGraph } from '../../shared/iqa/graph.ts';
import { convolve, type Tiling } from '../../shared/iqa/lpips/winograd.ts';

const threes: Tiling = { kernel: 3, results: 4, points: [0, 1, -1, 2, -2] };
const fives: Tiling = { kernel: 5, results: 4, points: [0, 1, -1, 2, -2, 0.5, -0.5] };

for (const { tiling, rows, columns, step } of [
  { tiling: threes, rows: 9, columns: 6, step: 4 },
  { tiling: threes, rows: 1, columns: 1, step: 8 },
  { tiling: fives, rows: 7, columns: 12, step: 4 },
  { tiling: fives, rows: 3, columns: 2, step: 8 },
]) {
  const { kernel } = tiling;
  test(`X.14 a ${kernel} x ${kernel} Winograd convolution over ${rows} x ${columns}, ${step} of 8 at a time, equals the direct one`, async () => {
    const [from, to, pictures] = [4, 8, 2];
    const values = waves(from * pictures * rows * columns, 0.7);
    const weights = waves(to * from * kernel * kernel, 1.3);
    const graph = createGraph('both');
    const kernels = graph.constant(weights, [to, from, kernel, kernel]);
    const input = graph.input('values', 'float32', [from, pictures, rows, columns]);
    const pads = new Array(4).fill((kernel - 1) / 2);
    const direct = graph.conv(graph.op('Transpose', [input], { perm: [1, 0, 2, 3] }), kernels, { pads });
    const { bytes } = graph.build({
      tiled: {
        value: convolve(graph, input, kernels, tiling, { from, to, step, pictures }),
        shape: [to, pictures, 'r', 'c'],
      },
      direct: { value: graph.op('Transpose', [direct], { perm: [1, 0, 2, 3] }), shape: [to, pictures, 'r', 'c'] },
    });

    const session = await InferenceSession.create(bytes, { graphOptimizationLevel: 'all', logSeverityLevel: 3 });
    const { tiled, direct: expected } = await session.run({
      values: new Tensor('float32', values, [from, pictures, rows, columns]),
    });
    await session.release();

    assert.deepEqual(tiled?.dims, expected?.dims);
    const found = tiled?.data as Float32Array;
    const wanted = expected?.data as Float32Array;
    assert.ok(wanted.some((value) => Math.abs(value) > 1));
    // Of values up to 10, in float32; a wrong border or phase is off by more than 1.
    for (const [at, value] of wanted.entries()) {
      assert.ok(Math.abs((found[at] as number) - value) < 1e-3, `${at}: ${found[at]} instead of ${value}`);
    }
  });
}

const waves = (length: number, step: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => Math.sin(step * at) + Math.cos(0.37 * step * at * at));
