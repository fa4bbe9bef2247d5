import { lazily } from '../../kernel/lazily.ts';
import {
  advance,
  type Code,
  f32x4,
  f64x2,
  get,
  i32,
  i32x4,
  i64x2,
  repeatWhile,
  set,
  v128,
  type WasmFunction,
} from '../wasm/assemble.ts';
import { instantiate } from '../wasm/instance.ts';

/** The size of a set of moments: five vectors. */
export const MOMENT_BYTES = 80;

const [OWN, OTHER, OUT, END] = [0, 1, 2, 3];
const [NEGATIVES, POSITIVES, BELOW, ABOVE, MAGNITUDES] = [4, 5, 6, 7, 8];
const KEPT = [NEGATIVES, POSITIVES, BELOW, ABOVE, MAGNITUDES];
const [SAMPLES, WIDE, MAGNITUDE, TWICE] = [9, 10, 11, 12];

/**
 * Adds the products of two rows to moments. Parameters: a row, the other row, the moments, and end of the first row.
 * Branch-free, because the sign of natural samples is unpredictable.
 */
const moments = (name: string, multiply: Code, count: typeof countOf32, halves: readonly Code[]): WasmFunction => {
  const square = (into: number, twice: Code): Code => [
    ...set(TWICE, twice),
    ...set(into, f64x2.add(get(into), f64x2.mul(get(TWICE), get(TWICE)))),
  ];
  const addHalf = (half: Code): Code => [
    ...set(WIDE, half),
    ...set(MAGNITUDE, f64x2.abs(get(WIDE))),
    ...set(MAGNITUDES, f64x2.add(get(MAGNITUDES), get(MAGNITUDE))),
    ...square(BELOW, f64x2.sub(get(MAGNITUDE), get(WIDE))),
    ...square(ABOVE, f64x2.add(get(MAGNITUDE), get(WIDE))),
  ];
  const body = [
    ...set(SAMPLES, multiply),
    ...count(NEGATIVES, get(SAMPLES), v128.zero),
    ...count(POSITIVES, v128.zero, get(SAMPLES)),
    ...halves.flatMap(addHalf),
    ...advance([OWN, OTHER]),
  ];
  return {
    name,
    parameters: ['i32', 'i32', 'i32', 'i32'],
    locals: new Array(9).fill('v128'),
    body: [
      ...KEPT.flatMap((local, i) => set(local, v128.load(get(OUT), 16 * i))),
      ...repeatWhile(body, i32.isLess(get(OWN), get(END))),
      ...KEPT.flatMap((local, i) => v128.store(get(OUT), get(local), 16 * i)),
    ],
  };
};

const [own, other] = [v128.load(get(OWN)), v128.load(get(OTHER))];

const UPPER_HALF = Array.from({ length: 16 }, (_, place) => 8 + (place % 8));

const countOf32 = (local: number, less: Code, more: Code): Code =>
  set(local, i32x4.sub(get(local), f32x4.isLess(less, more)));
const countOf64 = (local: number, less: Code, more: Code): Code =>
  set(local, i64x2.sub(get(local), f64x2.isLess(less, more)));

/** `moments32` and `moments64`, for rows of float32 and float64; all sums are float64. */
export const momentKernels = lazily(() =>
  instantiate([
    moments('moments32', f32x4.mul(own, other), countOf32, [
      f64x2.fromLower32(get(SAMPLES)),
      f64x2.fromLower32(v128.shuffle(get(SAMPLES), get(SAMPLES), UPPER_HALF)),
    ]),
    moments('moments64', f64x2.mul(own, other), countOf64, [get(SAMPLES)]),
  ]),
);
