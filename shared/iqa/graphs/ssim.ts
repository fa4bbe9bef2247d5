import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import { lazily } from '../lazily.ts';
import type { GraphRunner, Pair, StripMetric } from '../metric.ts';
import type { QualityMap } from '../pixels.ts';
import { blockWidth, copyTile, pairPacker, sumColumns, type Tile, tileRows, tilesOf, type Window } from '../strips.ts';
import { gaussian, toPolyphase, windowSide } from './gaussian.ts';
import { asFloat, roundedLuma } from './luma.ts';

const c1 = (0.01 * 255) ** 2;
const c2 = (0.03 * 255) ** 2;
const border = windowSide - 1;

/** SSIM on rounded luma, 11 x 11 Gaussian window, mean over the places where the window fits. */
export const ssim = ssimMetric('ssim', lumaPlane, 1);

/** SSIM of each of red, green and blue, averaged. */
export const ssimc = ssimMetric('ssimc', colourPlanes, 3);

/**
 * The structure term and the whole map of planes s = x + y and d = x - y in polyphase layout.
 * With s and d four blurred maps are enough instead of five: 4xy = s*s - d*d, 2(xx + yy) = s*s + d*d.
 */
export function similarity(graph: GraphBuilder, sum: Ref, difference: Ref): { structure: Ref; map: Ref } {
  const centred = graph.sub(sum, 255);
  const meanSum = gaussian(graph, centred);
  const meanDifference = gaussian(graph, difference);
  const whole = graph.add(meanSum, 255);
  const a = graph.add(graph.mul(whole, whole), 2 * c1);
  const b = graph.mul(meanDifference, meanDifference);
  const p = graph.sub(graph.add(gaussian(graph, graph.mul(centred, centred)), 2 * c2), graph.mul(meanSum, meanSum));
  const q = graph.sub(gaussian(graph, graph.mul(difference, difference)), b);
  const structure = graph.div(graph.op('Relu', [graph.sub(p, q)]), graph.add(p, q));
  return { structure, map: graph.mul(graph.div(graph.sub(a, b), graph.add(a, b)), structure) };
}

type Planes = (graph: GraphBuilder, bytes: Ref) => Ref;

function ssimMetric(name: string, planes: Planes, channels: number): StripMetric {
  const sumGraph = lazily(() => buildSums(name, planes));
  const mapGraph = lazily(() => buildMap(name, planes, channels));
  return {
    kind: 'strips',
    name,
    minimumSide: windowSide,
    rowUnit: tileRows,
    graphs: () => [sumGraph()],
    rows: (size) => size.height - border,
    async sums(pair, rows, runner) {
      let total = 0;
      const pack = pairPacker();
      for (const tile of tilesOf(rows, pair.picture.width - border)) {
        const { sums } = await runner.run(sumGraph(), pack(pair, windowOf(tile)));
        total += sumColumns(sums, tile.columns);
      }
      return Float64Array.of(total);
    },
    finish: ([total = Number.NaN], size) => total / (channels * (size.height - border) * (size.width - border)),
    map: (pair, runner) => wholeMap(pair, runner, mapGraph()),
  };
}

// Short float32 sums, down the rows only: columns are added in float64, which also drops those past the border.
function buildSums(name: string, planes: Planes): BuiltGraph<'sums'> {
  const graph = createGraph(name);
  const map = mapOf(graph, planes);
  return graph.build({ sums: { value: graph.sum(map, [0, 2]), shape: [blockWidth, 'blocks_out'] } });
}

function buildMap(name: string, planes: Planes, channels: number): BuiltGraph<'map'> {
  const graph = createGraph(`${name}_map`);
  const mean = graph.mul(graph.sum(mapOf(graph, planes), [0]), 1 / channels);
  const rowMajor = graph.op('Transpose', [mean], { perm: [1, 2, 0] });
  return graph.build({ map: { value: rowMajor, shape: ['rows_out', 'blocks_out', blockWidth] } });
}

function mapOf(graph: GraphBuilder, planes: Planes): Ref {
  const shape = [1, 'rows', 'blocks', 3 * blockWidth];
  const x = planes(graph, graph.input('picture', 'uint8', shape));
  const y = planes(graph, graph.input('reference', 'uint8', shape));
  return similarity(graph, graph.add(x, y), graph.sub(x, y)).map;
}

function lumaPlane(graph: GraphBuilder, bytes: Ref): Ref {
  return toPolyphase(graph, roundedLuma(graph, bytes));
}

function colourPlanes(graph: GraphBuilder, bytes: Ref): Ref {
  const split = graph.reshape(asFloat(graph, bytes), [0, 0, -1, blockWidth, 3]);
  const planes = graph.op('Transpose', [split], { perm: [0, 4, 3, 1, 2] });
  return graph.op('Squeeze', [planes, graph.integers([0])]);
}

// The horizontal pass reads one block beyond the last it gives.
function windowOf(tile: Tile): Window {
  return {
    top: tile.top,
    left: tile.left,
    rows: tile.rows + border,
    blocks: Math.ceil(tile.columns / blockWidth) + 1,
  };
}

async function wholeMap(pair: Pair, runner: GraphRunner, graph: BuiltGraph<'map'>): Promise<QualityMap> {
  const width = pair.picture.width - border;
  const height = pair.picture.height - border;
  const values = new Float32Array(width * height);
  const pack = pairPacker();
  for (const tile of tilesOf({ from: 0, to: height }, width)) {
    const { map } = await runner.run(graph, pack(pair, windowOf(tile)));
    copyTile(map, tile, values, width);
  }
  return { width, height, values, left: border / 2, top: border / 2, step: 1 };
}
