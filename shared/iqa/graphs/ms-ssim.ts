import { type BuiltGraph, createGraph } from '../graph.ts';
import { lazily } from '../lazily.ts';
import type { Feed, GraphRunner, Pair, RowRange, StripMetric } from '../metric.ts';
import { blockWidth, copyTile, pairPacker, sumColumns, tileRows, tilesOf } from '../strips.ts';
import { toPolyphase, windowSide } from './gaussian.ts';
import { roundedLuma } from './luma.ts';
import { createCascade, type Level, levelSizes, planLevels, type Rows } from './ms-ssim-cascade.ts';
import { similarity } from './ssim.ts';

const weights = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
const border = windowSide - 1;

const lumaGraph = lazily(buildLuma);
const levelGraph = lazily(buildLevel);

/** SSIM over five scales, as a product: structure on the finer four, everything on the coarsest. */
export const msSsim: StripMetric = {
  kind: 'strips',
  name: 'ms_ssim',
  // After four halvings the window must still fit.
  minimumSide: 161,
  rowUnit: tileRows / 2 ** (weights.length - 1),
  graphs: () => [lumaGraph(), levelGraph()],
  rows: (size) => levelSizes(size, weights.length).at(-1)?.height ?? 0,
  async sums(pair, rows, runner) {
    const totals = new Float64Array(weights.length);
    const levels = planLevels(pair.picture, rows, weights.length);
    const cascade = createCascade(levels, async (level, batch) => {
      totals[level.index] = (totals[level.index] ?? 0) + (await levelSum(level, batch, runner));
    });
    const [finest] = levels;
    for (let from = finest?.input.from ?? 0, to = finest?.input.to ?? 0; from < to; from += tileRows) {
      await cascade(await lumaRows(pair, { from, to: Math.min(from + tileRows, to) }, runner));
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
  const x = roundedLuma(graph, graph.input('picture', 'uint8', shape));
  const y = roundedLuma(graph, graph.input('reference', 'uint8', shape));
  const plane = [1, 'rows', 'blocks', blockWidth];
  return graph.build({
    sum: { value: graph.add(x, y), shape: plane },
    difference: { value: graph.sub(x, y), shape: plane },
  });
}

function buildLevel(): BuiltGraph<'structure' | 'all'> {
  const graph = createGraph('ms_ssim_level');
  const shape = [1, 'rows', 'blocks', blockWidth];
  const sum = toPolyphase(graph, graph.input('sum', 'float32', shape));
  const difference = toPolyphase(graph, graph.input('difference', 'float32', shape));
  const { structure, map } = similarity(graph, sum, difference);
  const columns = [blockWidth, 'blocks_out'];
  return graph.build({
    structure: { value: graph.sum(structure, [0, 2]), shape: columns },
    all: { value: graph.sum(map, [0, 2]), shape: columns },
  });
}

async function lumaRows(pair: Pair, range: RowRange, runner: GraphRunner): Promise<Rows> {
  const { width } = pair.picture;
  const pack = pairPacker();
  const sum = new Float32Array((range.to - range.from) * width);
  const difference = new Float32Array(sum.length);
  for (const tile of tilesOf(range, width)) {
    const blocks = Math.ceil(tile.columns / blockWidth);
    const rows = await runner.run(lumaGraph(), pack(pair, { top: tile.top, left: tile.left, rows: tile.rows, blocks }));
    const place = { ...tile, top: tile.top - range.from };
    copyTile(rows.sum, place, sum, width);
    copyTile(rows.difference, place, difference, width);
  }
  return { from: range.from, to: range.to, sum, difference };
}

async function levelSum(level: Level, batch: Rows, runner: GraphRunner): Promise<number> {
  let total = 0;
  const results = { from: 0, to: batch.to - batch.from - border };
  for (const tile of tilesOf(results, level.width - border)) {
    const { structure, all } = await runner.run(levelGraph(), {
      sum: packPlane(batch.sum, level.width, tile.left, tile.columns),
      difference: packPlane(batch.difference, level.width, tile.left, tile.columns),
    });
    total += sumColumns(level.index === weights.length - 1 ? all : structure, tile.columns);
  }
  return total;
}

function packPlane(plane: Float32Array, width: number, left: number, columns: number): Feed {
  const blocks = Math.ceil(columns / blockWidth) + 1;
  const stride = blocks * blockWidth;
  const rows = plane.length / width;
  const data = new Float32Array(rows * stride);
  const end = Math.min(width, left + stride);
  for (let row = 0; row < rows; row++) data.set(plane.subarray(row * width + left, row * width + end), row * stride);
  return { type: 'float32', data, shape: [1, rows, blocks, blockWidth] };
}
