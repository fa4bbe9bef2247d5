import type { Size } from './metric.ts';
import type { Pixels } from './pixels.ts';
import { sumRows } from './row-sums.ts';

/** Red, green and blue apart, 0..255 and not rounded. */
export interface Planes extends Size {
  readonly red: Float32Array;
  readonly green: Float32Array;
  readonly blue: Float32Array;
}

/** The factor that brings the shorter side near 256 pixels; halves go to the even neighbour, as Python rounds. */
export function poolingFactor({ width, height }: Size): number {
  const exact = Math.min(width, height) / 256;
  const floor = Math.floor(exact);
  const isHalf = exact - floor === 0.5;
  return Math.max(1, isHalf ? floor + (floor % 2) : Math.round(exact));
}

/** How far pooling windows reach past the picture, which is continued by its border pixels or by black. */
export interface Overhang {
  readonly before: number;
  readonly after: number;
  readonly isBlack?: boolean;
}

const none: Overhang = { before: 0, after: 0 };

/** Means over `factor` x `factor` pixels; an incomplete last row or column of windows is dropped. */
export function poolPlanes(pixels: Pixels, factor: number, overhang: Overhang = none): Planes {
  const width = Math.floor((pixels.width + overhang.before + overhang.after) / factor);
  const height = Math.floor((pixels.height + overhang.before + overhang.after) / factor);
  const planes = [0, 1, 2].map(() => new Float32Array(width * height));
  const [red, green, blue] = planes as [Float32Array, Float32Array, Float32Array];
  const columns = sourceColumns(pixels.width, width * factor, overhang);
  const stride = 3 * pixels.width;
  const area = factor ** 2;
  for (let row = 0; row < height; row++) {
    const sums = sumRows(sourceRows(pixels, row * factor, factor, overhang), stride);
    for (let column = 0, next = 0, at = row * width; column < width; column++, at++) {
      let [r, g, b] = [0, 0, 0];
      for (const end = next + factor; next < end; next++) {
        const source = columns[next] as number;
        if (source < 0) continue;
        r += sums[source] as number;
        g += sums[source + 1] as number;
        b += sums[source + 2] as number;
      }
      red[at] = r / area;
      green[at] = g / area;
      blue[at] = b / area;
    }
  }
  return { width, height, red, green, blue };
}

/** One plane mixed of the three. A plain loop, here and elsewhere: a callback for each pixel takes several times as long. */
export function mixPlanes({ red, green, blue }: Planes, r: number, g: number, b: number): Float32Array {
  const mixed = new Float32Array(red.length);
  for (let at = 0; at < mixed.length; at++) {
    mixed[at] = r * (red[at] as number) + g * (green[at] as number) + b * (blue[at] as number);
  }
  return mixed;
}

/** The planes with rows and columns exchanged. */
export function transposePlanes({ width, height, red, green, blue }: Planes): Planes {
  const turn = (plane: Float32Array): Float32Array => transposePlane(plane, width, height);
  return { width: height, height: width, red: turn(red), green: turn(green), blue: turn(blue) };
}

/** One plane with rows and columns exchanged. */
export function transposePlane(plane: Float32Array, width: number, height: number): Float32Array {
  const turned = new Float32Array(plane.length);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) turned[x * height + y] = plane[at] as number;
  }
  return turned;
}

/** The pixel a place of the continued picture stands for, -1 for black. */
function sourceOf(place: number, length: number, { before, isBlack = false }: Overhang): number {
  const index = place - before;
  if (index >= 0 && index < length) return index;
  if (isBlack) return -1;
  return index < 0 ? 0 : length - 1;
}

function sourceColumns(width: number, count: number, overhang: Overhang): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => 3 * sourceOf(index, width, overhang));
}

/** The rows that a row of windows covers, one behind the other: where they lie, or a copy where they reach past the picture. */
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
