import type { Plane } from './luma.ts';

// Bicubic with a = -0.5 stretched by two; all taps are exact in float32.
const TAPS = [-3, -9, 29, 111, 111, 29, -9, -3].map((tap) => tap / 256);
const FIRST = -3;

/** Half the size by antialiased bicubic in float32: down the columns first, then along the rows. */
export function halfScale(plane: Plane<Uint8Array | Float32Array>, pixelOf: (value: number) => number): Plane {
  const { width, height, data } = plane;
  const halfWidth = Math.ceil(width / 2);
  const halfHeight = Math.ceil(height / 2);
  const out = new Float32Array(halfWidth * halfHeight);
  const column = new Float32Array(width);
  const values =
    data instanceof Uint8Array ? Float32Array.from({ length: 256 }, (_, byte) => pixelOf(byte)) : undefined;
  for (let y = 0; y < halfHeight; y++) {
    column.fill(0);
    for (let tap = 0; tap < TAPS.length; tap++) {
      const from = mirrored(2 * y + FIRST + tap, height) * width;
      const weight = TAPS[tap] as number;
      for (let x = 0; x < width; x++) {
        const pixel = data[from + x] as number;
        const value = values === undefined ? Math.fround(pixelOf(pixel)) : (values[pixel] as number);
        column[x] = (column[x] as number) + Math.fround(value * weight);
      }
    }
    halveRow(column, out.subarray(y * halfWidth, (y + 1) * halfWidth));
  }
  return { width: halfWidth, height: halfHeight, data: out };
}

const halveRow = (row: Float32Array, out: Float32Array): void => {
  for (let x = 0; x < out.length; x++) {
    const start = 2 * x + FIRST;
    const inside = start >= 0 && start + TAPS.length <= row.length;
    let sum = 0;
    for (let tap = 0; tap < TAPS.length; tap++) {
      const at = inside ? start + tap : mirrored(start + tap, row.length);
      sum = Math.fround(sum + Math.fround((row[at] as number) * (TAPS[tap] as number)));
    }
    out[x] = sum;
  }
};

/** The index inside [0, length) that a mirror at the outer edge of the border pixels shows. */
export const mirrored = (index: number, length: number): number => {
  const period = 2 * length;
  const folded = ((index % period) + period) % period;
  return folded < length ? folded : period - 1 - folded;
};
