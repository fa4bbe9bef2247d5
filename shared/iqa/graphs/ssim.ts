import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import type { Feed, GraphRunner, Pair, StripMetric } from '../metric.ts';
import { colourPacker } from '../pack-colours.ts';
import type { QualityMap } from '../pixels.ts';
import { blockWidth, copyTile, pairPacker, sumColumns, type Tile, tileRows, tilesOf, type Window } from '../strips.ts';
import { toPolyphase, windowSide } from './gaussian.ts';
import { lumaSumAndDifference } from './luma.ts';
import { columnSums, similarity } from './ssim-terms.ts';

const border = windowSide - 1;

/** How windows of both pictures enter the graph, and how it derives x + y - 256 and x - y from them. */
interface Input {
  readonly channels: number;
  createPack(): (pair: Pair, window: Window) => Readonly<Record<string, Feed>>;
  planes(graph: GraphBuilder): { readonly sum: Ref; readonly difference: Ref; toPlane?(value: Ref): Ref };
}

/** SSIM on rounded luma with an 11 x 11 Gaussian window, averaged where the window fits. */
export const ssim = ssimMetric('ssim', {
  channels: 1,
  createPack: pairPacker,
  planes(graph) {
    const shape = [1, 'rows', 'blocks', 3 * blockWidth];
    const picture = graph.input('picture', 'uint8', shape);
    const { sum, difference } = lumaSumAndDifference(graph, picture, graph.input('reference', 'uint8', shape));
    return { sum, difference, toPlane: (value) => toPolyphase(graph, value) };
  },
});

/** The mean SSIM of red, green and blue. */
export const ssimc = ssimMetric('ssimc', {
  channels: 3,
  createPack: colourPacker,
  planes(graph) {
    const shape = [3, blockWidth, 'rows', 'blocks'];
    return { sum: graph.input('sum', 'float32', shape), difference: graph.input('difference', 'float32', shape) };
  },
});

function ssimMetric(name: string, input: Input): StripMetric {
  const sumGraph = lazily(() => buildSums(name, input));
  const mapGraph = lazily(() => buildMap(name, input));
  return {
    kind: 'strips',
    name,
    minimumSide: windowSide,
    rowUnit: tileRows,
    graphs: () => [sumGraph()],
    rows: (size) => size.height - border,
    async sums(pair, rows, runner) {
      let total = 0;
      const pack = input.createPack();
      for (const tile of tilesOf(rows, pair.picture.width - border)) {
        const { sums } = await runner.run(sumGraph(), pack(pair, toWindow(tile)));
        total += sumColumns(sums, tile.columns, { planes: input.channels });
      }
      return Float64Array.of(total);
    },
    finish: ([total = Number.NaN], size) => total / (input.channels * (size.height - border) * (size.width - border)),
    map: (pair, runner) => wholeMap(pair, runner, mapGraph(), input),
  };
}

function buildSums(name: string, input: Input): BuiltGraph<'sums'> {
  const graph = createGraph(name);
  return graph.build({ sums: columnSums(graph, mapOf(graph, input), input.channels) });
}

function buildMap(name: string, input: Input): BuiltGraph<'map'> {
  const graph = createGraph(`${name}_map`);
  const mean = graph.mul(graph.sum(mapOf(graph, input), [0]), 1 / input.channels);
  const rowMajor = graph.op('Transpose', [mean], { perm: [1, 2, 0] });
  return graph.build({ map: { value: rowMajor, shape: ['rows_out', 'blocks_out', blockWidth] } });
}

function mapOf(graph: GraphBuilder, input: Input): Ref {
  const { sum, difference, toPlane } = input.planes(graph);
  return similarity(graph, sum, difference, toPlane).map();
}

// The horizontal pass reads one block more than it writes.
function toWindow(tile: Tile): Window {
  return {
    top: tile.top,
    left: tile.left,
    rows: tile.rows + border,
    blocks: Math.ceil(tile.columns / blockWidth) + 1,
  };
}

async function wholeMap(pair: Pair, runner: GraphRunner, graph: BuiltGraph<'map'>, input: Input): Promise<QualityMap> {
  const width = pair.picture.width - border;
  const height = pair.picture.height - border;
  const values = new Float32Array(width * height);
  const pack = input.createPack();
  for (const tile of tilesOf({ from: 0, to: height }, width)) {
    const { map } = await runner.run(graph, pack(pair, toWindow(tile)));
    copyTile(map, tile, values, width);
  }
  return { width, height, values, left: border / 2, top: border / 2, step: 1 };
}
