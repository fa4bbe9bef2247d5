import { recursiveGaussian } from './recursive-gaussian.ts';

const { radius, recursion } = recursiveGaussian;
/** How far the window extends to either side. */
export const REACH = radius - 1;
const LEAVING = radius + 1;
const [[I1, P1], [I3, P3], [I5, P5]] = recursion.map(({ input, previous }) => [
  Math.fround(input),
  Math.fround(previous),
]) as unknown as [Two, Two, Two];

type Two = readonly [number, number];

/** Blurs a row, zero-padded. The steps and their rounding are those of the reference implementation. */
export function blurRow(row: Float32Array, out: Float32Array): void {
  const width = row.length;
  let [last1, last3, last5, before1, before3, before5] = [0, 0, 0, 0, 0, 0];
  for (let n = -REACH; n < width; n++) {
    const leaving = n >= LEAVING ? (row[n - LEAVING] as number) : 0;
    const entering = n + REACH < width ? (row[n + REACH] as number) : 0;
    const sum = Math.fround(leaving + entering);
    const next1 = Math.fround(Math.fround(Math.fround(sum * I1) - before1) - P1 * last1);
    const next3 = Math.fround(Math.fround(Math.fround(sum * I3) - before3) - P3 * last3);
    const next5 = Math.fround(Math.fround(Math.fround(sum * I5) - before5) - P5 * last5);
    before1 = last1;
    before3 = last3;
    before5 = last5;
    last1 = next1;
    last3 = next3;
    last5 = next5;
    if (n >= 0) out[n] = Math.fround(next1 + next3) + next5;
  }
}

/** Blurs columns, fed row by row. */
export interface ColumnBlur {
  /** The last complete row: `REACH` above the one added last. */
  readonly row: Float32Array;
  add(values: Float32Array): void;
}

export function createColumnBlur(width: number): ColumnBlur {
  const span = REACH + LEAVING;
  const ring = Array.from({ length: span }, () => new Float32Array(width));
  const [row, last1, last3, last5, before1, before3, before5] = Array.from(
    { length: 7 },
    () => new Float32Array(width),
  ) as unknown as Seven;
  let count = 0;
  return {
    row,
    add(values) {
      const leaving = ring[count++ % span] as Float32Array;
      for (let at = 0; at < width; at++) {
        const value = values[at] as number;
        const sum = Math.fround((leaving[at] as number) + value);
        leaving[at] = value;
        const old1 = last1[at] as number;
        const old3 = last3[at] as number;
        const old5 = last5[at] as number;
        const next1 = Math.fround(sum * I1 - Math.fround(old1 * P1 + (before1[at] as number)));
        const next3 = Math.fround(sum * I3 - Math.fround(old3 * P3 + (before3[at] as number)));
        const next5 = Math.fround(sum * I5 - Math.fround(old5 * P5 + (before5[at] as number)));
        before1[at] = old1;
        before3[at] = old3;
        before5[at] = old5;
        last1[at] = next1;
        last3[at] = next3;
        last5[at] = next5;
        row[at] = Math.fround(next1 + next3) + next5;
      }
    },
  };
}

type Seven = readonly [
  Float32Array,
  Float32Array,
  Float32Array,
  Float32Array,
  Float32Array,
  Float32Array,
  Float32Array,
];
