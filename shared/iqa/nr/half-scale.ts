import type { RowRange } from '../metric.ts';
import type { Plane } from './luma.ts';
import { HALF_TAPS, halfKernels } from './plane-kernels.ts';

const ROWS = HALF_TAPS.length;
/** The distance of the first tap before the even row or column it belongs to. */
const BEFORE = 3;
/** Numbers before each half row that its first taps read. */
const LEAD = 4;

/**
 * Halves a plane by antialiased bicubic interpolation in float32, columns first, after dividing its pixels by `divisor`.
 * Rows outside the ranges stay zero.
 */
export function halfScale(
  { width, height, data }: Plane<Uint8Array | Float32Array>,
  divisor = 1,
  ranges: readonly RowRange[] = [{ from: 0, to: Math.ceil(height / 2) }],
): Plane {
  const { reserve, run } = halfKernels();
  const [halfWidth, halfHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const out = new Float32Array(halfWidth * halfHeight);
  const stride = 8 * Math.ceil(width / 8);
  const half = 4 * Math.ceil(halfWidth / 4) + 2 * LEAD + 4;
  const [even, odd, result] = [ROWS * stride + LEAD, ROWS * stride + half + LEAD, ROWS * stride + 2 * half];
  const memory = new Float32Array(reserve(4 * (result + half)));
  const startOf = (y: number): number => ((y + 2 * ROWS) % ROWS) * stride;
  const load = (y: number): void => {
    const from = mirrored(y, height) * width;
    memory.set(data.subarray(from, from + width), startOf(y));
    if (divisor !== 1) run('divide', 4 * startOf(y), 4 * (startOf(y) + width), divisor);
  };
  const placeOf = (column: number): number => (column % 2 === 0 ? even : odd) + Math.floor(column / 2);
  const mirrors = [-3, -2, -1, 0, 1, 2, 3, 4]
    .map((column) => (column < 0 ? column : width + column))
    .map((column) => [placeOf(column), placeOf(mirrored(column, width))] as const);
  for (const { from, to } of ranges) {
    for (let y = 2 * from - BEFORE; y < 2 * from - BEFORE + ROWS - 2; y++) load(y);
    for (let y = from; y < to; y++) {
      const first = 2 * y - BEFORE;
      load(first + ROWS - 2);
      load(first + ROWS - 1);
      const rows = HALF_TAPS.map((_, row) => 4 * startOf(first + row));
      run('halveColumns', ...rows, 4 * even, 4 * odd, 4 * (even + halfWidth));
      for (const [place, source] of mirrors) memory[place] = memory[source] as number;
      run('halveRow', 4 * (even - 2), 4 * (odd - 2), 4 * result, 4 * (result + halfWidth));
      out.set(memory.subarray(result, result + halfWidth), y * halfWidth);
    }
  }
  return { width: halfWidth, height: halfHeight, data: out };
}

/** Reflects an index into [0, length); the border pixel is repeated. */
export const mirrored = (index: number, length: number): number => {
  const period = 2 * length;
  const folded = ((index % period) + period) % period;
  return folded < length ? folded : period - 1 - folded;
};
