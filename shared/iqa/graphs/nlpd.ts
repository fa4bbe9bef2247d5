import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph, type GraphBuilder, type Ref, toEnd } from '../graph.ts';
import type { Pair, RowRange, Size, StripMetric } from '../metric.ts';
import { lumaAt } from '../nr/luma.ts';
import { type Tile, tilesOf } from '../strips.ts';

/** For each level: the constant added to the local amplitude, and the weights of the neighbours above, below, left, right. */
const levels = [
  { sigma: 0.0248, cross: [0.1011, 0.1015, 0.1493, 0.146] },
  { sigma: 0.0185, cross: [0.0757, 0.0837, 0.1986, 0.1846] },
  { sigma: 0.0179, cross: [0.0477, 0.0467, 0.2138, 0.2243] },
  { sigma: 0.0191, cross: [0, 0, 0.2503, 0.2616] },
  { sigma: 0.022, cross: [0, 0, 0.2598, 0.2552] },
  { sigma: 0.2782, cross: [0, 0, 0.2215, 0.0717] },
] as const;

const lowPass = [0.05, 0.25, 0.4, 0.25, 0.05];

// A result depends on pixels up to 112 away; tiles begin at multiples of 32, the coarsest step, so that levels align.
const halo = 128;
const tileSide = 1024;
// Smaller parts would spend more on their borders than threads save.
const partRows = 256;

const graph = lazily(build);

/** Normalised Laplacian pyramid distance on unrounded luma; 0 is best. */
export const nlpd: StripMetric = {
  kind: 'strips',
  name: 'nlpd',
  minimumSide: 8,
  rowUnit: partRows,
  graphs: () => [graph()],
  rows: (size) => size.height,
  async sums(pair, rows, runner) {
    const totals = new Float64Array(levels.length);
    for (const tile of tilesOf(rows, pair.picture.width, tileSide, tileSide)) {
      const window = widen(tile, pair.picture);
      const shape = [2, 1, window.rows, window.columns];
      const outputs = await runner.run(graph(), { luma: { type: 'float32', data: lumaOf(pair, window), shape } });
      outputNames.forEach((name, index) => {
        totals[index] = (totals[index] as number) + ownSum(outputs[name], index, tile, window);
      });
    }
    return totals;
  },
  finish: (totals, size) =>
    totals.reduce((sum, total, index) => sum + Math.sqrt(total / countAt(index, size)), 0) / levels.length,
};

const outputNames = ['level1', 'level2', 'level3', 'level4', 'level5', 'level6'] as const;

const sizeAt = (level: number, length: number): number => Math.ceil(length / 2 ** level);
const countAt = (level: number, { width, height }: Size): number => sizeAt(level, width) * sizeAt(level, height);

function build(): BuiltGraph<(typeof outputNames)[number]> {
  const made = createGraph('nlpd');
  let image = made.input('luma', 'float32', [2, 1, 'rows', 'columns']);
  const errors = levels.map((level, index) => {
    const smaller = index < levels.length - 1 ? reduce(made, image) : undefined;
    const band = smaller ? made.sub(image, expand(made, smaller, image)) : image;
    if (smaller) image = smaller;
    const normalised = made.div(band, amplitude(made, band, level));
    const difference = made.sub(made.slice(normalised, [0], [0], [1]), made.slice(normalised, [0], [1], [2]));
    const shape = [1, 1, `rows${index + 1}`, `columns${index + 1}`];
    return [outputNames[index], { value: made.mul(difference, difference), shape }] as const;
  });
  return made.build(Object.fromEntries(errors) as never);
}

// Every second sample of the low-pass, with a symmetric border (the edge pixel is repeated).
function reduce(made: GraphBuilder, image: Ref): Ref {
  const two = atLeastTwo(made, image);
  const padded = mirror(made, mirror(made, two, 2), 3);
  const vertical = made.conv(padded, made.constant(lowPass, [1, 1, 5, 1]), { strides: [2, 1] });
  return made.conv(vertical, made.constant(lowPass, [1, 1, 1, 5]), { strides: [1, 2] });
}

// Coarse levels of a small picture may have one sample per side; repeating it gives the same result.
function atLeastTwo(made: GraphBuilder, image: Ref): Ref {
  const size = made.op('Shape', [image], { start: 2 });
  const missing = made.op('Max', [made.sub(made.integers([2, 2]), size), made.integers([0, 0])]);
  const pads = made.op('Concat', [made.integers([0, 0, 0, 0, 0, 0]), missing], { axis: 0 });
  return made.op('Pad', [image, pads], { mode: 'edge' });
}

function mirror(made: GraphBuilder, image: Ref, axis: number): Ref {
  const backwards = (start: number, end: number): Ref =>
    made.op('Slice', [image, ...[[start], [end], [axis], [-1]].map(made.integers)]);
  return made.op('Concat', [backwards(1, -toEnd), image, backwards(-1, -3)], { axis });
}

// Upsampling by two: each of four kernels gives one phase of the doubled picture.
function expand(made: GraphBuilder, small: Ref, like: Ref): Ref {
  const pads = made.integers([0, 0, 1, 1, 0, 0, 1, 1]);
  const padded = made.op('Pad', [small, pads], { mode: 'edge' });
  const phases = [
    [0.1, 0.8, 0.1],
    [0, 0.5, 0.5],
  ];
  const kernels = phases.flatMap((rows) => phases.flatMap((columns) => rows.flatMap((a) => columns.map((b) => a * b))));
  const four = made.conv(padded, made.constant(kernels, [4, 1, 3, 3]));
  const doubled = made.op('DepthToSpace', [four], { blocksize: 2, mode: 'DCR' });
  const size = made.op('Shape', [like], { start: 2 });
  return made.op('Slice', [doubled, made.integers([0, 0]), size, made.integers([2, 3])]);
}

// Adding shifted copies takes half as long as a one-channel convolution, which the runtime pads to sixteen channels.
function amplitude(made: GraphBuilder, band: Ref, { sigma, cross }: (typeof levels)[number]): Ref {
  const [up, down, left, right] = cross;
  const padded = made.op('Pad', [made.op('Abs', [band]), made.integers([0, 0, 1, 1, 0, 0, 1, 1])]);
  const shifted = (axis: number, start: number, end: number, weight: number): Ref =>
    made.mul(made.slice(padded, [axis, 5 - axis], [start, 1], [end, -1]), weight);
  // The kernel is turned by 180 degrees.
  const beside = made.add(shifted(3, 0, -2, right), shifted(3, 2, toEnd, left));
  const around = up === 0 ? beside : made.add(beside, made.add(shifted(2, 0, -2, down), shifted(2, 2, toEnd, up)));
  return made.add(around, sigma);
}

function widen(tile: Tile, size: Size): Tile {
  const top = Math.max(0, tile.top - halo);
  const left = Math.max(0, tile.left - halo);
  const rows = Math.min(size.height, tile.top + tile.rows + halo) - top;
  const columns = Math.min(size.width, tile.left + tile.columns + halo) - left;
  return { top, left, rows, columns };
}

function lumaOf({ picture, reference }: Pair, { top, left, rows, columns }: Tile): Float32Array {
  const luma = new Float32Array(2 * rows * columns);
  let target = 0;
  for (const { data, width } of [picture, reference]) {
    for (let row = top; row < top + rows; row++) {
      let source = (row * width + left) * 3;
      for (const end = target + columns; target < end; target++, source += 3) luma[target] = lumaAt(data, source);
    }
  }
  return luma;
}

/** The sum over the tile's own part of a level's map; the rest of the window is border. */
function ownSum(map: Float32Array, level: number, tile: Tile, window: Tile): number {
  const rows = ownRange(level, tile.top, tile.rows, window.top);
  const columns = ownRange(level, tile.left, tile.columns, window.left);
  const stride = sizeAt(level, window.columns);
  let total = 0;
  for (let row = rows.from; row < rows.to; row++) {
    for (let column = columns.from; column < columns.to; column++) total += map[row * stride + column] as number;
  }
  return total;
}

function ownRange(level: number, start: number, length: number, windowStart: number): RowRange {
  const offset = windowStart / 2 ** level;
  return { from: start / 2 ** level - offset, to: sizeAt(level, start + length) - offset };
}
