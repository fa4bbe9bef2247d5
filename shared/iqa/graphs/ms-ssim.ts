import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph } from '../graph.ts';
import type { Feed, GraphRunner, Pair, RowRange, StripMetric } from '../metric.ts';
import { blockWidth, copyTile, type PackPair, pairPacker, sumColumns, type Tile, tilesOf } from '../strips.ts';
import { toPolyphase, windowSide } from './gaussian.ts';
import { lumaSumAndDifference } from './luma.ts';
import { batchRows, createCascade, type Level, levelSizes, planLevels } from './ms-ssim-cascade.ts';
import type { PlaneRows } from './row-buffer.ts';
import { columnSums, similarity } from './ssim-terms.ts';

const weights = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
const border = windowSide - 1;

const lumaGraph = lazily(buildLuma);
const levelGraph = lazily(() => buildLevel('ms_ssim_level', 'structure'));
const lastGraph = lazily(() => buildLevel('ms_ssim_last', 'map'));

/** SSIM over five scales, as a product: contrast and structure on the finer four, all terms on the coarsest. */
export const msSsim: StripMetric = {
  kind: 'strips',
  name: 'ms_ssim',
  // After four halvings the window must still fit.
  minimumSide: 161,
  rowUnit: 8,
  graphs: () => [lumaGraph(), levelGraph(), lastGraph()],
  rows: (size) => levelSizes(size, weights.length).at(-1)?.height ?? 0,
  async sums(pair, rows, runner) {
    const totals = new Float64Array(weights.length);
    const levels = planLevels(pair.picture, rows, weights.length);
    const incoming = batchRows(pair.picture.width) / 2;
    const packPlanes = { sum: planePacker(), difference: planePacker() };
    const cascade = createCascade(levels, incoming, async (level, batch) => {
      totals[level.index] = (totals[level.index] ?? 0) + (await levelSum(level, batch, packPlanes, runner));
    });
    const pack = pairPacker();
    for (const strip of cutStrips(levels[0] as Level, incoming)) {
      await fillLuma(pair, strip, cascade.reserve(strip.to - strip.from), pack, runner);
      await cascade.take();
    }
    return totals;
  },
  finish: (totals, size) =>
    levelSizes(size, weights.length).reduce((product, { width, height }, index) => {
      const mean = (totals[index] as number) / ((width - border) * (height - border));
      return product * mean ** (weights[index] as number);
    }, 1),
};

function buildLuma(): BuiltGraph<'sum' | 'difference'> {
  const graph = createGraph('ms_ssim_luma');
  const shape = [1, 'rows', 'blocks', 3 * blockWidth];
  const picture = graph.input('picture', 'uint8', shape);
  const { sum, difference } = lumaSumAndDifference(graph, picture, graph.input('reference', 'uint8', shape));
  const plane = [1, 'rows', 'blocks', blockWidth];
  return graph.build({ sum: { value: sum, shape: plane }, difference: { value: difference, shape: plane } });
}

function buildLevel(name: string, term: 'structure' | 'map'): BuiltGraph<'sums'> {
  const graph = createGraph(name);
  const shape = [1, 'rows', 'blocks', blockWidth];
  const sum = graph.input('sum', 'float32', shape);
  const difference = graph.input('difference', 'float32', shape);
  const terms = similarity(graph, sum, difference, (value) => toPolyphase(graph, value));
  return graph.build({ sums: columnSums(graph, terms[term]()) });
}

function cutStrips({ input }: Level, height: number): readonly RowRange[] {
  return tilesOf(input, 1, height).map(({ top, rows }) => ({ from: top, to: top + rows }));
}

async function fillLuma(pair: Pair, range: RowRange, target: PlaneRows, pack: PackPair, runner: GraphRunner) {
  const { width } = pair.picture;
  for (const tile of tilesOf(range, width)) {
    const blocks = Math.ceil(tile.columns / blockWidth);
    const rows = await runner.run(lumaGraph(), pack(pair, { top: tile.top, left: tile.left, rows: tile.rows, blocks }));
    const place = { ...tile, top: tile.top - range.from };
    copyTile(rows.sum, place, target.sum, width);
    copyTile(rows.difference, place, target.difference, width);
  }
}

type PackPlane = (plane: Float32Array, width: number, tile: Tile) => Feed;

async function levelSum(
  level: Level,
  batch: PlaneRows,
  pack: Readonly<Record<'sum' | 'difference', PackPlane>>,
  runner: GraphRunner,
): Promise<number> {
  let total = 0;
  const graph = level.index === weights.length - 1 ? lastGraph() : levelGraph();
  for (const tile of tilesOf({ from: 0, to: batch.rows - border }, level.width - border)) {
    const { sums } = await runner.run(graph, {
      sum: pack.sum(batch.sum, level.width, tile),
      difference: pack.difference(batch.difference, level.width, tile),
    });
    total += sumColumns(sums, tile.columns);
  }
  return total;
}

/** Copies the columns of a tile and its window into whole blocks, reusing the same memory for each call. */
function planePacker(): PackPlane {
  let memory = new Float32Array(0);
  return (plane, width, { left, columns }) => {
    const blocks = Math.ceil(columns / blockWidth) + 1;
    const stride = blocks * blockWidth;
    const rows = plane.length / width;
    if (memory.length < rows * stride) memory = new Float32Array(rows * stride);
    const data = memory.subarray(0, rows * stride);
    const used = Math.min(width - left, stride);
    for (let row = 0; row < rows; row++) {
      data.set(plane.subarray(row * width + left, row * width + left + used), row * stride);
      data.fill(0, row * stride + used, (row + 1) * stride);
    }
    return { type: 'float32', data, shape: [1, rows, blocks, blockWidth] };
  };
}
