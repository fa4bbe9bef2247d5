import { Fault } from '../../kernel/errors.ts';
import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref } from '../graph.ts';
import type { Size, StripMetric } from '../metric.ts';
import {
  blockWidth,
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
import { asFloat, weighted } from './luma.ts';

const steepness = 4.2;
const constant = 30;
// The widest wavelet covers three pixels before and four after.
const reach = 3;
const side = 8;

const graph = lazily(build);

const UNDEFINED_TEXT = 'haarpsi is undefined for two black pictures, which have no edges; use ssim or psnr for them';

/** HaarPSI: similarity of Haar wavelet coefficients and of colour, weighted by the coarsest coefficients. */
export const haarpsi: StripMetric = {
  kind: 'strips',
  name: 'haarpsi',
  minimumSide: 16,
  rowUnit: tileRows,
  graphs: () => [graph()],
  rows: (size) => halvedSize(size).height,
  async sums(pair, rows, runner) {
    const totals = new Float64Array(2);
    const pack = pairPacker();
    for (const tile of tilesOf(rows, halvedSize(pair.picture).width, tileRows / 2, tileColumns / 2)) {
      const { weighted: product, weights } = await runner.run(graph(), pack(pair, toWindow(tile)));
      totals[0] = (totals[0] as number) + sumColumns(product, tile.columns, { lanes });
      totals[1] = (totals[1] as number) + sumColumns(weights, tile.columns, { lanes });
    }
    return totals;
  },
  finish([product = Number.NaN, weights = Number.NaN]) {
    if (weights === 0) throw new Fault('InvalidInput', UNDEFINED_TEXT, { tool: 'haarpsi' });
    const mean = product / weights;
    return (Math.log(mean / (1 - mean)) / steepness) ** 2;
  },
};

// If either side is odd, both sides are padded by a row or column of zeros before halving.
function halvedSize({ width, height }: Size): Size {
  const padding = Math.max(width % 2, height % 2);
  return { width: Math.floor((width + padding) / 2), height: Math.floor((height + padding) / 2) };
}

function toWindow(tile: Tile): Window {
  return {
    top: 2 * (tile.top - reach),
    left: 2 * (tile.left - reach),
    rows: 2 * (tile.rows + side - 1),
    blocks: Math.ceil(tile.columns / lanes) + 1,
  };
}

function build(): BuiltGraph<'weighted' | 'weights'> {
  const made = createGraph('haarpsi');
  const shape = [1, 'rows', 'blocks', 3 * blockWidth];
  const x = coefficients(made, asFloat(made, made.input('picture', 'uint8', shape)));
  const y = coefficients(made, asFloat(made, made.input('reference', 'uint8', shape)));
  const similar = x.map((plane, index) => dice(made, plane, y[index] as Ref));
  const [h2, v2, h4, v4, , , i, q] = similar as [Ref, Ref, Ref, Ref, Ref, Ref, Ref, Ref];
  const mean = (a: Ref, b: Ref): Ref => made.mul(made.add(a, b), 0.5);
  const across = made.op('Max', [x[4] as Ref, y[4] as Ref]);
  const down = made.op('Max', [x[5] as Ref, y[5] as Ref]);
  const terms = [
    [mean(h2, h4), across],
    [mean(v2, v4), down],
    [mean(i, q), mean(across, down)],
  ] as const;
  const add = (values: readonly Ref[]): Ref => values.reduce((sum, value) => made.add(sum, value));
  const squashed = terms.map(([similarity, weight]) =>
    made.mul(made.op('Sigmoid', [made.mul(similarity, steepness)]), weight),
  );
  const columns = [1, lanes, 'blocks_out'];
  return made.build({
    weighted: { value: made.sum(add(squashed), [2]), shape: columns },
    weights: { value: made.sum(add(terms.map(([, weight]) => weight)), [2]), shape: columns },
  });
}

/** Absolute Haar coefficients of luma, both directions of sides 2, 4 and 8, then the local means of I and Q. */
function coefficients(made: GraphBuilder, values: Ref): readonly Ref[] {
  const halved = (factors: readonly [number, number, number]): Ref => {
    const plane = toPolyphase(made, weighted(made, values, factors));
    return made.conv(plane, made.constant(halvingWeights(), [lanes, blockWidth, 2, 1]), { strides: [2, 1] });
  };
  const filter = (plane: Ref, kernels: readonly Kernel[]): readonly Ref[] => {
    const weights = made.constant(polyphaseWeights(kernels), [kernels.length * lanes, lanes, side, 2]);
    const all = made.op('Abs', [made.conv(plane, weights)]);
    return kernels.map((_, index) => made.slice(all, [1], [index * lanes], [(index + 1) * lanes]));
  };
  const haar = [2, 4, 8].flatMap((size): readonly Kernel[] => [
    { size, value: (row) => (row < size / 2 ? 1 : -1) / size },
    { size, value: (_, column) => (column < size / 2 ? 1 : -1) / size },
  ]);
  const box: Kernel = { size: 2, value: () => 0.25 };
  return [
    ...filter(halved([0.299, 0.587, 0.114]), haar),
    ...filter(halved([0.5959, -0.2746, -0.3213]), [box]),
    ...filter(halved([0.2115, -0.5227, 0.3112]), [box]),
  ];
}

interface Kernel {
  readonly size: number;
  value(row: number, column: number): number;
}

// Each kernel is centred in the window of the widest; two neighbouring blocks hold every column it reads.
function polyphaseWeights(kernels: readonly Kernel[]): Float32Array {
  const weights = new Float32Array(kernels.length * lanes * lanes * side * 2);
  kernels.forEach(({ size, value }, index) => {
    const start = (side - size) / 2;
    for (let lane = 0; lane < lanes; lane++) {
      for (let row = 0; row < size; row++) {
        for (let column = 0; column < size; column++) {
          const source = lane + start + column;
          const place = ((index * lanes + lane) * lanes + (source % lanes)) * side + start + row;
          weights[2 * place + Math.floor(source / lanes)] = value(row, column);
        }
      }
    }
  });
  return weights;
}

function dice(made: GraphBuilder, a: Ref, b: Ref): Ref {
  const twice = made.add(made.mul(made.mul(a, b), 2), constant);
  return made.div(twice, made.add(made.add(made.mul(a, a), made.mul(b, b)), constant));
}
