import type { Size } from '../metric.ts';
import type { Scratch } from './rows.ts';

const BLOCK = 3;
export const PLACES = BLOCK * BLOCK;

/** Two pixels of a block differ by one of 13 shifts, so 13 products per pixel are enough instead of 45. */
const SHIFTS = [0, 1, 2].flatMap((down) =>
  [-2, -1, 0, 1, 2].filter((across) => down > 0 || across >= 0).map((across) => ({ down, across })),
);

/** Accumulates the covariance of a plane's overlapping 3 x 3 blocks, row by row. */
export interface BlockCovariance {
  /** Adds the rows in order, each by its index in the scratch memory. */
  add(y: number, row: number): void;
  /** The 9 x 9 matrix. */
  finish(): Float64Array;
}

/**
 * For a plane's first `width` columns and `height` rows. `shift` is a typical value, subtracted first: squares of nearly
 * equal values would lose all their digits to rounding.
 */
export const gatherCovariance = (scratch: Scratch, { width, height }: Size, shift: number): BlockCovariance => {
  const stride = width + (width % 2);
  const start = scratch.allocate(BLOCK * stride);
  const pair = scratch.allocate(2);
  const plain = new Float64Array(BLOCK * height);
  const products = SHIFTS.map(() => new Float64Array(BLOCK * height));
  const rowAt = (y: number): number => start + (y % BLOCK) * stride;

  const gather = (first: number, second: number, across: number): number => {
    const numbers = scratch.numbers();
    const count = (width - 4) & ~1;
    numbers.fill(0, pair, pair + 2);
    const [a, b] = [first + 2, second + 2 + across];
    if (count > 0) scratch.kernels.run('dot', 8 * a, 8 * b, 8 * (a + count), 8 * pair);
    const sum = (numbers[pair] as number) + (numbers[pair + 1] as number);
    const isOdd = width > 4 && width % 2 === 1;
    return isOdd ? sum + (numbers[a + count] as number) * (numbers[b + count] as number) : sum;
  };

  return {
    add(y, row) {
      const numbers = scratch.numbers();
      const own = rowAt(y);
      let core = 0;
      for (let column = 0; column < width; column++) {
        const value = (numbers[row + column] as number) - shift;
        numbers[own + column] = value;
        if (column >= 2 && column < width - 2) core += value;
      }
      spread(plain, y, core, (column) => numbers[own + column] as number);
      for (const [at, { down, across }] of SHIFTS.entries()) {
        if (down > y) continue;
        const first = rowAt(y - down);
        const value = (column: number): number =>
          column + across < 0 || column + across >= width
            ? 0
            : (numbers[first + column] as number) * (numbers[own + column + across] as number);
        spread(products[at] as Float64Array, y - down, gather(first, own, across), value);
      }
    },
    finish() {
      const [rows, columns] = [height - BLOCK + 1, width - BLOCK + 1];
      const computeMean = (sums: Float64Array, x: number, y: number): number => {
        let total = 0;
        for (let row = y; row < y + rows; row++) total += sums[x * height + row] as number;
        return total / (rows * columns);
      };
      const placeOf = (place: number) => ({ y: Math.floor(place / BLOCK), x: place % BLOCK });
      const places = Array.from({ length: PLACES }, (_, place) => placeOf(place));
      const means = places.map(({ x, y }) => computeMean(plain, x, y));
      const covariance = new Float64Array(PLACES * PLACES);
      for (const [i, one] of places.entries())
        for (const [j, other] of places.entries()) {
          if (j < i) continue;
          const [down, across] = [other.y - one.y, other.x - one.x];
          const at = SHIFTS.findIndex((each) => each.down === down && each.across === across);
          const mean = computeMean(products[at] as Float64Array, one.x, one.y);
          const value = mean - (means[i] as number) * (means[j] as number);
          covariance[i * PLACES + j] = value;
          covariance[j * PLACES + i] = value;
        }
      return covariance;
    },
  };

  // Extends the sum over the columns that the block's three columns share to each one's own: x .. width - 3 + x.
  function spread(target: Float64Array, row: number, core: number, value: (column: number) => number): void {
    for (let x = 0; x < BLOCK; x++) {
      let sum = core;
      for (let column = x; column < 2; column++) sum += value(column);
      for (let column = Math.max(2, width - 2); column <= width - BLOCK + x; column++) sum += value(column);
      target[x * height + row] = sum;
    }
  }
};
