import type { GraphBuilder, Ref } from '../graph.ts';

/** Parameters of Winograd's convolution, which transforms tiles and multiplies them pointwise. */
export interface Tiling {
  readonly kernel: number;
  /** Results per side of a tile; it reads `results + kernel - 1` values per side. */
  readonly results: number;
  /** Interpolation points, besides infinity. */
  readonly points: readonly number[];
}

type Matrix = readonly (readonly number[])[];

/**
 * Matrices of Winograd's (Toom-Cook) convolution: results = out * ((weights * kernel) x (values * tile)). Matching rows of
 * values and weights are scaled by the same power of two, which keeps both small.
 */
function matricesOf({ kernel, results, points }: Tiling): Readonly<Record<'values' | 'weights' | 'out', Matrix>> {
  const side = results + kernel - 1;
  const values = [...points.map((_, skipped) => multiplyOut(points, skipped)), multiplyOut(points)].map((row) =>
    Array.from({ length: side }, (_, at) => row[at] ?? 0),
  );
  const scales = values.map((row) => 2 ** -Math.round(Math.log2(Math.max(...row.map(Math.abs)))));
  const divisors = points.map((point, at) =>
    points.reduce((product, other, index) => (index === at ? product : product * (point - other)), 1),
  );
  const weights = [
    ...points.map((point, at) => powers(point, kernel).map((power) => power / (divisors[at] as number))),
    last(kernel),
  ];
  const columns = [...points.map((point) => powers(point, results)), last(results)];
  return {
    values: values.map((row, at) => row.map((value) => value * (scales[at] as number))),
    weights: weights.map((row, at) => row.map((value) => value / (scales[at] as number))),
    out: Array.from({ length: results }, (_, row) => columns.map((column) => column[row] as number)),
  };
}

/** Coefficients of the product of (x - point) over all points but the skipped one, constant term first. */
function multiplyOut(points: readonly number[], skipped?: number): readonly number[] {
  const product = [1];
  for (const [index, point] of points.entries()) {
    if (index === skipped) continue;
    product.push(0);
    for (let at = product.length - 1; at >= 0; at--)
      product[at] = (product[at - 1] ?? 0) - point * (product[at] as number);
  }
  return product;
}

const powers = (point: number, count: number): number[] => Array.from({ length: count }, (_, power) => point ** power);
const last = (count: number): number[] => Array.from({ length: count }, (_, at) => (at === count - 1 ? 1 : 0));

/** Channels and pictures of a convolution. */
interface Channels {
  readonly from: number;
  readonly to: number;
  /** How many output channels are computed at a time: fewer take less memory. */
  readonly step: number;
  readonly pictures: number;
}

/**
 * A "same" convolution of [channels, pictures, rows, columns] with a third of the multiplications of a direct one.
 * `weights` are [to, from, kernel, kernel]; the runtime transforms them once.
 */
export function convolve(graph: GraphBuilder, values: Ref, weights: Ref, tiling: Tiling, channels: Channels): Ref {
  const { kernel, results } = tiling;
  const { from, to, step, pictures } = channels;
  const matrices = matricesOf(tiling);
  const side = results + kernel - 1;
  const border = (kernel - 1) / 2;
  const cut = graph.conv(
    graph.reshape(values, [from * pictures, 1, 0, 0]),
    graph.constant(squared(matrices.values).flat(), [side ** 2, 1, side, side]),
    { pads: [border, border, border + results - 1, border + results - 1], strides: [results, results] },
  );
  const tiles = graph.reshape(graph.op('Transpose', [cut], { perm: [1, 0, 2, 3] }), [side ** 2, from, -1]);
  const points = graph.constant(squared(matrices.weights).flat(), [side ** 2, kernel ** 2]);
  const out = graph.constant(squared(matrices.out).flat(), [results ** 2, side ** 2]);
  const sides = (value: Ref): Ref => graph.op('Shape', [value], { start: 2 });
  const shape = graph.op('Concat', [graph.integers([1, results ** 2 * step * pictures]), sides(cut)], { axis: 0 });
  const parts = Array.from({ length: to / step }, (_, part) => {
    const own = graph.slice(weights, [0], [part * step], [(part + 1) * step]);
    const rows = graph.op('Transpose', [graph.reshape(own, [step * from, kernel ** 2])], { perm: [1, 0] });
    const factors = graph.reshape(graph.op('MatMul', [points, rows]), [side ** 2, step, from]);
    const products = graph.op('MatMul', [factors, tiles]);
    const phases = graph.op('MatMul', [out, graph.reshape(products, [side ** 2, -1])]);
    const whole = graph.op('DepthToSpace', [graph.op('Reshape', [phases, shape])], { blocksize: results, mode: 'DCR' });
    return graph.op('Slice', [whole, graph.integers([0, 0]), sides(values), graph.integers([2, 3])]);
  });
  const all = parts.length === 1 ? (parts[0] as Ref) : graph.op('Concat', parts, { axis: 1 });
  return graph.reshape(all, [to, pictures, 0, 0]);
}

/** The Kronecker square of a matrix: applies it to the rows and columns of a tile. */
const squared = (matrix: Matrix): Matrix =>
  matrix.flatMap((upper) => matrix.map((lower) => upper.flatMap((a) => lower.map((b) => a * b))));
