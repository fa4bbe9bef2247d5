import type { Size } from './metric.ts';
import type { Pixels } from './pixels.ts';
import { sumRows } from './row-sums.ts';

/** Red, green and blue in separate planes, 0..255, unrounded. */
export interface Planes extends Size {
  readonly red: Float32Array;
  readonly green: Float32Array;
  readonly blue: Float32Array;
}

/** The factor that brings the shorter side near 256 pixels, rounded half to even, as in Python. */
export function poolingFactor({ width, height }: Size): number {
  const exact = Math.min(width, height) / 256;
  const floor = Math.floor(exact);
  const isHalf = exact - floor === 0.5;
  return Math.max(1, isHalf ? floor + (floor % 2) : Math.round(exact));
}

/** How far pooling windows extend beyond the picture, which is padded by its border pixels or by black. */
export interface Overhang {
  readonly before: number;
  readonly after: number;
  readonly isBlack?: boolean;
}

const none: Overhang = { before: 0, after: 0 };

/** The number of windows along each side. */
export const pooledSize = ({ width, height }: Size, factor: number, { before, after } = none): Size => ({
  width: Math.floor((width + before + after) / factor),
  height: Math.floor((height + before + after) / factor),
});

export const createPlanes = ({ width, height }: Size): Planes => {
  const plane = (): Float32Array => new Float32Array(width * height);
  return { width, height, red: plane(), green: plane(), blue: plane() };
};

/** Averages `factor` x `factor` pixels into `planes`; an incomplete last row or column of windows is dropped. */
export function poolPlanes(
  pixels: Pixels,
  factor: number,
  overhang: Overhang = none,
  planes = createPlanes(pooledSize(pixels, factor, overhang)),
): Planes {
  const { width, height, red, green, blue } = planes;
  const stride = 3 * pixels.width;
  const area = factor ** 2;
  const continued = new Uint16Array(stride + 3 * (overhang.before + overhang.after));
  for (let row = 0; row < height; row++) {
    const sums = continueRow(sumRows(sourceRows(pixels, row * factor, factor, overhang), stride), overhang, continued);
    for (let column = 0, next = 0, at = row * width; column < width; column++, at++) {
      let [r, g, b] = [0, 0, 0];
      for (const end = next + 3 * factor; next < end; next += 3) {
        r += sums[next] as number;
        g += sums[next + 1] as number;
        b += sums[next + 2] as number;
      }
      red[at] = r / area;
      green[at] = g / area;
      blue[at] = b / area;
    }
  }
  return planes;
}

type Weights = readonly [red: number, green: number, blue: number];

/** A weighted sum of the three planes. A plain loop, because a callback per pixel takes several times as long. */
export function mixPlanes({ red, green, blue }: Planes, [r, g, b]: Weights, mixed: Float32Array): void {
  for (let at = 0; at < mixed.length; at++) {
    mixed[at] = r * (red[at] as number) + g * (green[at] as number) + b * (blue[at] as number);
  }
}

/** The pixel shown at a position of the padded picture; -1 for black. */
function sourceOf(place: number, length: number, { before, isBlack = false }: Overhang): number {
  const index = place - before;
  if (index >= 0 && index < length) return index;
  if (isBlack) return -1;
  return index < 0 ? 0 : length - 1;
}

/** Pads a row at both ends. */
function continueRow(sums: Uint16Array, { before, after, isBlack = false }: Overhang, row: Uint16Array): Uint16Array {
  if (before + after === 0) return sums;
  row.set(sums, 3 * before);
  if (isBlack) return row;
  const end = 3 * before + sums.length;
  for (let at = 0; at < 3 * before; at++) row[at] = sums[at % 3] as number;
  for (let at = end; at < row.length; at++) row[at] = row[at - 3] as number;
  return row;
}

/** The rows that a row of windows covers: a view of the picture, or a copy if they extend beyond it. */
function sourceRows({ width, height, data }: Pixels, from: number, count: number, overhang: Overhang): Uint8Array {
  const stride = 3 * width;
  const first = from - overhang.before;
  if (first >= 0 && first + count <= height) return data.subarray(first * stride, (first + count) * stride);
  const rows = new Uint8Array(count * stride);
  for (let inside = 0; inside < count; inside++) {
    const y = sourceOf(from + inside, height, overhang);
    if (y >= 0) rows.set(data.subarray(y * stride, (y + 1) * stride), inside * stride);
  }
  return rows;
}
