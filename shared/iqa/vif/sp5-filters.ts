/**
 * Filters of the steerable pyramid with six orientations, as published by the Laboratory for Computational Vision
 * in pyrtools (MIT, see sp5-filters.license.txt). Each is given by its upper left quarter.
 */
const lowFirstQuarter = [
  [0.00341614, -0.01551246, -0.03848215],
  [-0.01551246, 0.05586982, 0.1592557],
  [-0.03848215, 0.1592557, 0.40304148],
];

const lowQuarter = [
  [0.00170808, -0.00489834, -0.00775624, -0.01888864, -0.01924108],
  [-0.00489834, -0.01046562, -0.01322234, 0.008212, 0.02005976],
  [-0.00775624, -0.01322234, 0.02793492, 0.06554076, 0.07962786],
  [-0.01888864, 0.008212, 0.06554076, 0.12852666, 0.16339236],
  [-0.01924108, 0.02005976, 0.07962786, 0.16339236, 0.2019308],
];

const bandQuarter = [
  [0.00277643, 0.00496194, 0.01026699, 0.01455399],
  [-0.00986904, -0.00893064, 0.01189859, 0.02755155],
  [-0.01021852, -0.03075356, -0.08226445, -0.11732297],
  [0, 0, 0, 0],
];

/** A square filter of odd side; `down` and `across` are 1 if it is symmetric along an axis, -1 if antisymmetric. */
export interface Sp5Filter {
  readonly side: number;
  readonly taps: readonly number[];
  readonly down: 1 | -1;
  readonly across: 1 | -1;
}

/** 5 x 5: the first low-pass. */
export const lowFirst: Sp5Filter = { side: 5, taps: unfold(lowFirstQuarter, 1), down: 1, across: 1 };

/** 9 x 9: the low-pass before each halving; sums to 2. */
export const low: Sp5Filter = { side: 9, taps: unfold(lowQuarter, 1), down: 1, across: 1 };

/** 7 x 7: the band that responds to vertical change, and its transpose. */
export const bandDown: Sp5Filter = { side: 7, taps: unfold(bandQuarter, -1), down: -1, across: 1 };
export const bandAcross: Sp5Filter = { side: 7, taps: transpose(bandDown.taps), down: 1, across: -1 };

/** Mirrors a quarter to the right, and downwards with the given sign. */
function unfold(quarter: readonly (readonly number[])[], sign: 1 | -1): readonly number[] {
  const half = quarter.map((row) => [...row, ...row.slice(0, -1).reverse()]);
  const lower = half.slice(0, -1).reverse();
  return [...half, ...lower.map((row) => row.map((tap) => sign * tap))].flat();
}

function transpose(kernel: readonly number[]): readonly number[] {
  const side = Math.sqrt(kernel.length);
  return kernel.map((_, at) => kernel[(at % side) * side + Math.floor(at / side)] as number);
}
