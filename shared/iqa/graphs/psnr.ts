import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import type { StripMetric } from '../metric.ts';
import { squaredError } from '../squared-error.ts';
import { blockWidth, pairPacker, tilesOf } from '../strips.ts';
import { asFloat, weighted } from './luma.ts';

// The sum of 64 squared byte differences stays below 2^24, so float32 adds a column of them exactly.
const stripHeight = 64;

/** Peak signal-to-noise ratio in decibels over red, green and blue; 80 for equal pictures. Computed on bytes, without a graph. */
export const psnr: StripMetric = {
  kind: 'strips',
  name: 'psnr',
  minimumSide: 1,
  rowUnit: 2 * stripHeight,
  figures: { peak: 255, floor: 1e-8 },
  graphs: () => [],
  rows: (size) => size.height,
  async sums({ picture, reference }, { from, to }, runner) {
    const line = 3 * picture.width;
    let total = 0;
    for (let row = from; row < to; row += 2 * stripHeight) {
      runner.throwIfAborted();
      const [start, end] = [row * line, Math.min(row + 2 * stripHeight, to) * line];
      total += squaredError(picture.data.subarray(start, end), reference.data.subarray(start, end));
    }
    return Float64Array.of(total);
  },
  finish: ([total = Number.NaN], size) => decibels(total / (255 ** 2 * 3 * size.width * size.height)),
};

const decibels = (error: number): number => 10 * Math.log10(1 / (error + 1e-8));

/** The same over unrounded luma. */
export const psnry = psnrMetric(
  'psnry',
  (graph, x, y) => graph.sub(lumaThousands(graph, x), lumaThousands(graph, y)),
  255_000,
  1,
);

type Difference = (graph: GraphBuilder, x: Ref, y: Ref) => Ref;

function psnrMetric(name: string, difference: Difference, peak: number, channels: number): StripMetric {
  const graph = lazily(() => build(name, difference));
  return {
    kind: 'strips',
    name,
    minimumSide: 1,
    rowUnit: 2 * stripHeight,
    graphs: () => [graph()],
    rows: (size) => size.height,
    async sums(pair, rows, runner) {
      const pack = pairPacker();
      let total = 0;
      for (const { top, left, rows: height, columns } of tilesOf(rows, pair.picture.width, stripHeight)) {
        const window = { top, left, rows: height, blocks: Math.ceil(columns / blockWidth) };
        const { sums } = await runner.run(graph(), pack(pair, window));
        for (const sum of sums) total += sum;
      }
      return Float64Array.of(total);
    },
    finish: ([total = Number.NaN], size) => decibels(total / (peak ** 2 * channels * size.width * size.height)),
  };
}

function build(name: string, difference: Difference): BuiltGraph<'sums'> {
  const graph = createGraph(name);
  const shape = [1, 'rows', 'blocks', 3 * blockWidth];
  const error = difference(graph, graph.input('picture', 'uint8', shape), graph.input('reference', 'uint8', shape));
  return graph.build({ sums: { value: graph.sum(graph.mul(error, error), [1]), shape: [1, 'blocks', 'values'] } });
}

// Luma times 1000: whole numbers, which float32 represents exactly.
const lumaThousands = (graph: GraphBuilder, bytes: Ref): Ref => weighted(graph, asFloat(graph, bytes), [299, 587, 114]);
