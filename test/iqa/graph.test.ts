import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createSessions, graphRunner } from '../../shared/adapters/onnx/sessions.ts';
import { createGraph, toEnd } from '../../shared/iqa/graph.ts';
import type { Feed } from '../../shared/iqa/metric.ts';
import { describeGraph, graphDigest, graphMetrics, graphsOf } from '../../shared/iqa/metrics.ts';

const runner = graphRunner(
  createSessions(['cpu'], () => {}),
  () => {},
);
const feed = (values: readonly number[], shape: readonly number[]): Feed => ({
  type: 'float32',
  data: Float32Array.from(values),
  shape,
});

describe('the graph builder', () => {
  test('the graph builder encodes a graph that ONNX Runtime opens and runs', async () => {
    const graph = createGraph('line');
    const x = graph.input('x', 'float32', ['n']);
    const built = graph.build({ y: { value: graph.add(graph.mul(x, 3), -1), shape: ['n'] } });

    const { y } = await runner.run(built, { x: feed([1, 2, 3], [3]) });

    assert.deepEqual([...y], [2, 5, 8]);
  });

  test('Conv in a graph is a cross-correlation and pads as requested', async () => {
    const graph = createGraph('edge');
    const x = graph.input('x', 'float32', [1, 1, 1, 'n']);
    const kernel = graph.constant([1, 2, 4], [1, 1, 1, 3]);
    const built = graph.build({ y: { value: graph.conv(x, kernel, { pads: [0, 1, 0, 1] }), shape: [1, 1, 1, 'n'] } });

    const { y } = await runner.run(built, { x: feed([1, 0, 0], [1, 1, 1, 3]) });

    assert.deepEqual([...y], [2, 1, 0]);
  });

  test('graph operations slice to the end, halve and sum', async () => {
    const graph = createGraph('parts');
    const x = graph.input('x', 'float32', [2, 'n']);
    const [left, right] = graph.halves(x, 1);
    const tail = graph.slice(x, [1], [1], [toEnd]);
    const built = graph.build({
      difference: { value: graph.sum(graph.sub(right, left), [1]), shape: [2] },
      tail: { value: graph.sum(tail, [0, 1]), shape: [] },
    });

    const { difference, tail: sum } = await runner.run(built, { x: feed([1, 2, 3, 4, 5, 6, 7, 9], [2, 4]) });

    assert.deepEqual([...difference], [4, 5]);
    assert.deepEqual([...sum], [31]);
  });

  test('equal graphs have equal bytes, another constant gives another digest', () => {
    const build = (factor: number) => {
      const graph = createGraph('g');
      const value = graph.mul(graph.input('x', 'float32', ['n']), factor);
      return graph.build({ y: { value, shape: ['n'] } });
    };

    assert.deepEqual(build(2).bytes, build(2).bytes);
    assert.equal(build(2).digest, build(2).digest);
    assert.notEqual(build(2).digest, build(3).digest);
  });

  test('encoding keeps any float32 constant and integer attribute', async () => {
    const number = fc.float({ noNaN: true, noDefaultInfinity: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(number, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: -2, max: 1 }),
        async (values, axis) => {
          const graph = createGraph('constants');
          const x = graph.input('x', 'float32', [1, values.length]);
          const moved = graph.op('Concat', [graph.add(x, graph.constant(values, [1, values.length])), x], { axis });
          const built = graph.build({ y: { value: moved, shape: ['a', 'b'] } });

          const { y } = await runner.run(built, {
            x: feed(
              values.map(() => 0),
              [1, values.length],
            ),
          });

          assert.deepEqual(
            [...y.subarray(0, values.length)].map((value) => value + 0),
            values.map((value) => value + 0),
          );
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('shipped graphs', () => {
  test('every metric describes its graphs', () => {
    for (const { name } of graphMetrics) {
      for (const graph of graphsOf(name).map(describeGraph)) {
        assert.match(graph.digest, /^[0-9a-f]{64}$/);
        assert.ok(graph.size_bytes > 100 && graph.nodes > 0 && graph.inputs.length > 0 && graph.outputs.length > 0);
        assert.equal(
          Object.values(graph.operators).reduce((a, b) => a + b),
          graph.nodes,
        );
      }
    }
  });

  test('ssim is one graph of convolutions over bytes', () => {
    const [graph, ...others] = graphsOf('ssim').map(describeGraph);

    assert.equal(others.length, 0);
    assert.equal(graph?.operators.Conv, 8);
    assert.deepEqual(
      graph?.inputs.map(({ name, type }) => [name, type]),
      [
        ['picture', 'uint8'],
        ['reference', 'uint8'],
      ],
    );
    assert.equal(graphDigest('ssim'), graph?.digest);
  });

  test('an unknown metric is refused with those that are known', () => {
    assert.throws(() => graphsOf('topiq_fr'), { name: 'NotFound', message: /topiq_fr.*ssim/ });
  });
});
