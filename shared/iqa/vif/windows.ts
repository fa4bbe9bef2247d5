import type { Size } from '../metric.ts';
import type { Scratch } from './rows.ts';

const BLOCK = 3;
/** Sums of x, y, xx, yy and xy. */
const QUANTITIES = 5;
const TINY = 1e-12;
/** A variance below this share of the sum of squares is rounding error. */
const ROUNDING = 1e-13;

/** Local linear fit y = gain * x + noise of the distorted to the reference band, for each 3 x 3 block in a row of blocks. */
export interface BlockGains {
  readonly gain: Float64Array;
  readonly noise: Float64Array;
}

export interface BlockWindows {
  /** Blocks left out on every side, because their window would extend beyond the band. */
  readonly margin: number;
  /** Adds the rows of both bands in order, each by its index in the scratch memory. */
  add(y: number, reference: number, distorted: number): void;
}

/** Computes gain and noise in windows of side `side` around the blocks of two bands, whose sides are multiples of three. */
export const gatherWindows = (
  scratch: Scratch,
  { width, height }: Size,
  side: number,
  visit: (blockRow: number, gains: BlockGains) => void,
): BlockWindows => {
  const reach = (side - 1) / 2;
  const margin = Math.ceil(reach / BLOCK);
  // A window covers `whole` blocks on each side of its own and, with a rest, one row or column of the next.
  const whole = Math.floor((reach - 1) / BLOCK);
  const hasRest = reach % BLOCK === 2;
  const wide = width + (width % 2);
  const length = QUANTITIES * wide;
  const slots = 2 * whole + 3;
  const [firsts, sums, lasts] = [0, 1, 2].map(() => scratch.allocate(slots * length)) as [number, number, number];
  const total = scratch.allocate(length);
  const columns = Math.max(0, width / BLOCK - 2 * margin);
  const gains = { gain: new Float64Array(columns), noise: new Float64Array(columns) };
  const triples = new Float64Array(width / BLOCK);
  const window = new Float64Array(QUANTITIES * columns);
  const slotOf = (block: number): number => (block % slots) * length;
  const { run } = scratch.kernels;
  const addTo = (sum: number, row: number): number => run('addRow', 8 * sum, 8 * row, 8 * (sum + length));

  const fitRow = (blockRow: number): void => {
    const numbers = scratch.numbers();
    numbers.copyWithin(total, sums + slotOf(blockRow), sums + slotOf(blockRow) + length);
    for (let step = 1; step <= whole; step++) {
      addTo(total, sums + slotOf(blockRow - step));
      addTo(total, sums + slotOf(blockRow + step));
    }
    if (hasRest) {
      addTo(total, lasts + slotOf(blockRow - whole - 1));
      addTo(total, firsts + slotOf(blockRow + whole + 1));
    }
    for (let quantity = 0; quantity < QUANTITIES; quantity++) addColumns(numbers, quantity);
    for (let column = 0; column < columns; column++) {
      const of = (quantity: number): number => window[quantity * columns + column] as number;
      fit(gains, column, of(0), of(1), of(2), of(3), of(4), side * side);
    }
    visit(blockRow, gains);
  };

  const addColumns = (numbers: Float64Array, quantity: number): void => {
    const line = total + quantity * wide;
    for (let block = 0, at = line; block < triples.length; block++, at += BLOCK)
      triples[block] = (numbers[at] as number) + (numbers[at + 1] as number) + (numbers[at + 2] as number);
    for (let column = 0; column < columns; column++) {
      const block = margin + column;
      let sum = 0;
      for (let each = block - whole; each <= block + whole; each++) sum += triples[each] as number;
      if (hasRest) {
        const [before, after] = [BLOCK * (block - whole) - 1, BLOCK * (block + whole + 1)];
        sum += (numbers[line + before] as number) + (numbers[line + after] as number);
      }
      window[quantity * columns + column] = sum;
    }
  };

  return {
    margin,
    add(y, reference, distorted) {
      const block = Math.floor(y / BLOCK);
      const slot = slotOf(block);
      const target = ([firsts, sums, lasts][y % BLOCK] as number) + slot;
      const outs = Array.from({ length: QUANTITIES }, (_, quantity) => 8 * (target + quantity * wide));
      run('products', 8 * reference, 8 * distorted, ...outs, 8 * (target + width));
      if (y % BLOCK !== BLOCK - 1) return;
      addTo(sums + slot, firsts + slot);
      addTo(sums + slot, lasts + slot);
      const ready = block - whole - (hasRest ? 1 : 0);
      if (columns > 0 && ready >= margin && ready < height / BLOCK - margin) fitRow(ready);
    },
  };
};

// The replacements are in the order of the reference implementation.
function fit(
  { gain, noise }: BlockGains,
  at: number,
  sx: number,
  sy: number,
  sxx: number,
  syy: number,
  sxy: number,
  count: number,
): void {
  const vx = varianceOf(sxx, sx, count);
  const vy = varianceOf(syy, sy, count);
  const covariance = sxy - (sx * sy) / count;
  let slope = covariance / (vx + TINY);
  let rest = (vy - slope * covariance) / count;
  if (vx < TINY) [slope, rest] = [0, vy];
  if (vy < TINY) [slope, rest] = [0, 0];
  if (slope < 0) [slope, rest] = [0, vy];
  gain[at] = slope;
  noise[at] = Math.max(rest, TINY);
}

const varianceOf = (squares: number, sum: number, count: number): number => {
  const variance = squares - (sum * sum) / count;
  return variance > ROUNDING * squares ? variance : 0;
};
