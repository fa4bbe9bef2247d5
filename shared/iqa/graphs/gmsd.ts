import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import type { GraphRunner, Pair, StripMetric } from '../metric.ts';
import type { QualityMap } from '../pixels.ts';
import {
  blockWidth,
  copyTile,
  pairPacker,
  sumColumns,
  type Tile,
  tileColumns,
  tileRows,
  tilesOf,
  type Window,
} from '../strips.ts';
import { toPolyphase } from './gaussian.ts';
import { halvingWeights, lanes } from './halving.ts';
import { roundedLuma } from './luma.ts';

// Half as large as in other metrics, because each result covers 2 x 2 pixels.
const [tileHeight, tileWidth] = [tileRows / 2, tileColumns / 2];

const sumGraph = lazily(buildSums);
const mapGraph = lazily(buildMap);

/** Gradient magnitude similarity deviation, on rounded luma of half the size; 0 is best. */
export const gmsd: StripMetric = {
  kind: 'strips',
  name: 'gmsd',
  minimumSide: 4,
  rowUnit: tileRows,
  graphs: () => [sumGraph()],
  rows: (size) => Math.floor(size.height / 2),
  async sums(pair, rows, runner) {
    const total = new Float64Array(2);
    const pack = pairPacker();
    for (const tile of tilesOf(rows, Math.floor(pair.picture.width / 2), tileHeight, tileWidth)) {
      const { loss, squares } = await runner.run(sumGraph(), pack(pair, toWindow(tile, pair)));
      total[0] = (total[0] ?? 0) + sumColumns(loss, tile.columns, { lanes });
      total[1] = (total[1] ?? 0) + sumColumns(squares, tile.columns, { lanes });
    }
    return total;
  },
  finish([loss = Number.NaN, squares = Number.NaN], size) {
    const count = Math.floor(size.width / 2) * Math.floor(size.height / 2);
    return Math.sqrt(Math.max(0, squares - loss ** 2 / count) / (count - 1));
  },
  map: wholeMap,
};

function buildSums(): BuiltGraph<'loss' | 'squares'> {
  const graph = createGraph('gmsd');
  const loss = buildLoss(graph);
  const shape = [1, lanes, 'blocks_out'];
  return graph.build({
    loss: { value: graph.sum(loss, [2]), shape },
    squares: { value: graph.sum(graph.mul(loss, loss), [2]), shape },
  });
}

function buildMap(): BuiltGraph<'map'> {
  const graph = createGraph('gmsd_map');
  const map = graph.op('Transpose', [graph.sub(1, buildLoss(graph))], { perm: [0, 2, 3, 1] });
  return graph.build({ map: { value: map, shape: [1, 'rows_out', 'blocks_out', lanes] } });
}

// 1 - (2ab + c) / (a*a + b*b + c), rearranged to avoid cancellation; its deviation is that of the similarity.
function buildLoss(graph: GraphBuilder): Ref {
  const shape = [1, 'rows', 'blocks', 3 * blockWidth];
  const x = gradientEnergy(graph, graph.input('picture', 'uint8', shape));
  const y = gradientEnergy(graph, graph.input('reference', 'uint8', shape));
  const difference = graph.sub(graph.op('Sqrt', [x]), graph.op('Sqrt', [y]));
  return graph.div(graph.mul(difference, difference), graph.add(graph.add(x, y), 170));
}

function gradientEnergy(graph: GraphBuilder, bytes: Ref): Ref {
  const plane = toPolyphase(graph, roundedLuma(graph, bytes));
  const half = graph.conv(plane, graph.constant(halvingWeights(), [lanes, blockWidth, 2, 1]), { strides: [2, 1] });
  const gradients = graph.conv(half, graph.constant(prewitt(), [2 * lanes, lanes, 3, 2]));
  const squares = graph.mul(gradients, gradients);
  const horizontal = graph.slice(squares, [1], [0], [lanes]);
  const vertical = graph.slice(squares, [1], [lanes], [2 * lanes]);
  return graph.add(graph.add(horizontal, vertical), 1e-12);
}

/** Prewitt kernels of both directions; the window of a lane starts one column before it. */
function prewitt(): Float32Array {
  const weights = new Float32Array(2 * lanes * lanes * 3 * 2);
  const set = (output: number, column: number, row: number, value: number): void => {
    const [input, block] = [column % lanes, Math.floor(column / lanes)];
    weights[((output * lanes + input) * 3 + row) * 2 + block] = value / 3;
  };
  for (let lane = 0; lane < lanes; lane++) {
    for (let step = 0; step < 3; step++) {
      set(lane, lane, step, 1);
      set(lane, lane + 2, step, -1);
      set(lanes + lane, lane + step, 0, 1);
      set(lanes + lane, lane + step, 2, -1);
    }
  }
  return weights;
}

// One halved pixel of border on every side; an odd last row or column is dropped.
function toWindow(tile: Tile, { picture }: Pair): Window {
  return {
    top: 2 * (tile.top - 1),
    left: 2 * (tile.left - 1),
    rows: 2 * (tile.rows + 2),
    blocks: Math.ceil(tile.columns / lanes) + 1,
    within: { width: picture.width & ~1, height: picture.height & ~1 },
  };
}

async function wholeMap(pair: Pair, runner: GraphRunner): Promise<QualityMap> {
  const width = Math.floor(pair.picture.width / 2);
  const height = Math.floor(pair.picture.height / 2);
  const values = new Float32Array(width * height);
  const pack = pairPacker();
  for (const tile of tilesOf({ from: 0, to: height }, width, tileHeight, tileWidth)) {
    const { map } = await runner.run(mapGraph(), pack(pair, toWindow(tile, pair)));
    copyTile(map, tile, values, width);
  }
  return { width, height, values, left: 0.5, top: 0.5, step: 2 };
}
