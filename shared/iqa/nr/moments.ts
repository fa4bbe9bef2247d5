import type { Moments } from './aggd.ts';
import { MOMENT_BYTES, momentKernels } from './moment-kernels.ts';

/** Accumulates moments of the products of rows in the kernels' memory. */
export interface MomentGatherer<Row extends Float32Array | Float64Array> {
  /** Stores a row; its last number is repeated before it, so that shifted rows wrap around. */
  put(slot: number, row: Row): void;
  /** Adds the products of a row and another one shifted to the right, wrapping around. */
  add(into: number, own: number, other: number, shift: 0 | 1): void;
  /** Adds the numbers of a row themselves. */
  addAlone(into: number, own: number): void;
  /** Returns the accumulated moments and resets them. */
  take(from: number): Moments;
}

/** For rows of one width in a number of slots. All gatherers share memory: creating one invalidates the one before. */
export const gatherMoments32 = (width: number, slots: number, moments: number): MomentGatherer<Float32Array> =>
  gatherer('moments32', Float32Array, width, slots, moments);

export const gatherMoments64 = (width: number, slots: number, moments: number): MomentGatherer<Float64Array> =>
  gatherer('moments64', Float64Array, width, slots, moments);

const gatherer = <Row extends Float32Array | Float64Array>(
  kernel: 'moments32' | 'moments64',
  RowType: typeof Float32Array | typeof Float64Array,
  width: number,
  slots: number,
  moments: number,
): MomentGatherer<Row> => {
  const { reserve, run } = momentKernels();
  const size = RowType.BYTES_PER_ELEMENT;
  const lanes = 16 / size;
  // Padding is zero and adds nothing.
  const stride = (Math.ceil(width / lanes) + 2) * lanes;
  const sums = (slots + 1) * stride * size;
  const buffer = reserve(sums + moments * MOMENT_BYTES);
  const rows = new RowType(buffer, 0, (slots + 1) * stride);
  const counts = new Int32Array(buffer);
  const numbers = new Float64Array(buffer);
  const added = new Array<number>(moments).fill(0);
  rows.fill(0);
  numbers.fill(0, sums / 8, (sums + moments * MOMENT_BYTES) / 8);
  const startOf = (slot: number): number => slot * stride + lanes;
  const ones = slots;
  rows.fill(1, startOf(ones), startOf(ones) + width);
  const add = (into: number, own: number, other: number, shift: number): void => {
    const from = size * startOf(own);
    run(kernel, from, size * (startOf(other) - shift), sums + into * MOMENT_BYTES, from + size * width);
    added[into] = (added[into] as number) + width;
  };
  return {
    put(slot, row) {
      const at = startOf(slot);
      rows.set(row, at);
      rows[at - 1] = row[width - 1] as number;
    },
    add,
    addAlone: (into, own) => add(into, own, ones, 0),
    take(from) {
      const at = sums + from * MOMENT_BYTES;
      const sumOf = (field: number): number => {
        const first = at / 8 + 2 * field;
        return (numbers[first] as number) + (numbers[first + 1] as number);
      };
      const countOf = (field: number): number => {
        const first = at / 4 + 4 * field;
        const lanesOf = [first, first + 1, first + 2, first + 3].filter((_, i) => lanes === 4 || i % 2 === 0);
        return lanesOf.reduce((sum, lane) => sum + (counts[lane] as number), 0);
      };
      const taken = {
        count: added[from] as number,
        negatives: countOf(0),
        positives: countOf(1),
        squaresBelow: sumOf(2) / 4,
        squaresAbove: sumOf(3) / 4,
        magnitudes: sumOf(4),
      };
      numbers.fill(0, at / 8, (at + MOMENT_BYTES) / 8);
      added[from] = 0;
      return taken;
    },
  };
};
