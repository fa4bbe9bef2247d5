import { lazily } from '../../kernel/lazily.ts';
import type { RowRange } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { isFused } from '../wasm/fused.ts';
import { LUMA, lumaKernels } from './plane-kernels.ts';

/** One channel of a picture, row by row. */
export interface Plane<Data extends Uint8Array | Float32Array = Float32Array> {
  readonly width: number;
  readonly height: number;
  readonly data: Data;
}

/** YIQ luma times 255, rounded half to even. Rows outside the ranges stay zero. */
export const lumaBytes = (picture: Pixels, rows = allRows(picture)): Plane<Uint8Array> => scaledLuma(picture, rows, 1);

/** The luma of some rows and those around them, computed on first use. */
export type SharedLuma = () => Plane<Uint8Array>;

/** Shares one luma among all metrics that read the same rows of a picture. */
export const shareLuma = (picture: Pixels, rows: RowRange): SharedLuma =>
  lazily(() => lumaBytes(picture, rowsAround(rows, picture.height)));

/** YIQ luma divided by its largest value, times 255; all zero for a black picture. */
export const stretchedLuma = (
  picture: Pixels,
  rows: RowRange = { from: 0, to: picture.height },
  luma = shareLuma(picture, rows),
): Plane<Uint8Array> => {
  const largest = largestLuma(picture);
  const { width, height } = picture;
  if (largest === WHITE) return luma();
  if (largest === 0) return { width, height, data: new Uint8Array(width * height) };
  return scaledLuma(picture, rowsAround(rows, height), largest);
};

/** How far windows extend beyond the rows of a part, at half scale too. */
const REACH = 16;

/** The rows of a part and those around it; for the first part also the last rows, because metrics may wrap around. */
export const rowsAround = ({ from, to }: RowRange, height: number, reach = REACH): readonly RowRange[] => {
  const own = { from: Math.max(0, from - reach), to: Math.min(height, to + reach) };
  const last = { from: Math.max(own.to, height - reach), to: height };
  return from === 0 && last.from < last.to ? [own, last] : [own];
};

const allRows = ({ height }: Pixels): readonly RowRange[] => [{ from: 0, to: height }];

/** The luma of white, exact in float32. */
const WHITE = 1;

/** Pixels per run of the vector code: few enough to stay in the processor's cache. */
const PIECE = 16_384;

const scaledLuma = (
  { width, height, data }: Pixels,
  ranges: readonly RowRange[],
  divisor: number,
): Plane<Uint8Array> => {
  const plane = new Uint8Array(width * height);
  for (const rows of ranges) {
    const [from, to] = [rows.from * width, rows.to * width];
    fillLuma(data.subarray(3 * from, 3 * to), divisor, plane.subarray(from, to));
  }
  return { width, height, data: plane };
};

const fillLuma = (data: Uint8Array, divisor: number, plane: Uint8Array): void => {
  if (!isFused()) {
    plainLuma(data, divisor, plane);
    return;
  }
  const { reserve, run } = lumaKernels();
  const memory = new Uint8Array(reserve(PIECE * 4 + 16));
  const out = 3 * PIECE;
  for (let from = 0; from < plane.length; from += PIECE) {
    const count = Math.min(PIECE, plane.length - from);
    memory.set(data.subarray(3 * from, 3 * (from + count)));
    run('luma', 0, out, out + count, divisor);
    plane.set(memory.subarray(out, out + count), from);
  }
};

const largestLuma = ({ data }: Pixels): number => {
  if (!isFused()) return plainLargest(data);
  const { reserve, run } = lumaKernels();
  const buffer = reserve(3 * PIECE + 64);
  const memory = new Uint8Array(buffer);
  const largest = new Float32Array(buffer, 3 * PIECE + 48, 4);
  largest.fill(0);
  for (let from = 0; from < data.length; from += 3 * PIECE) {
    const piece = data.subarray(from, from + 3 * PIECE);
    memory.set(piece);
    // Pad with black to whole vectors.
    memory.fill(0, piece.length, piece.length + 48);
    run('lumaMaximum', 0, piece.length, 3 * PIECE + 48);
    // No pixel is brighter than white.
    if (largest.includes(WHITE)) break;
  }
  return Math.max(...largest);
};

const unit = (byte: number): number => Math.fround(byte / 255);
const weightTable = (weight: number): Float64Array =>
  Float64Array.from({ length: 256 }, (_, byte) => unit(byte) * Math.fround(weight));

// The first product is rounded to float32; the other two go into a fused multiply-add unrounded.
const RED = weightTable(LUMA[0]).map(Math.fround);
const GREEN = weightTable(LUMA[1]);
const BLUE = weightTable(LUMA[2]);

/** The result of the vector code, for processors without a fused multiply-add. */
export const plainLuma = (data: Uint8Array, divisor: number, plane: Uint8Array): Uint8Array => {
  for (let pixel = 0, at = 0; pixel < plane.length; pixel++, at += 3) {
    plane[pixel] = roundHalfEven(Math.fround(255 * Math.fround(lumaAt(data, at) / divisor)));
  }
  return plane;
};

const plainLargest = (data: Uint8Array): number => {
  let largest = 0;
  for (let at = 0; at < data.length; at += 3) largest = Math.max(largest, lumaAt(data, at));
  return largest;
};

// Adding this to a double leaves no bits for a fraction, so the hardware rounds half to even.
const NO_FRACTION = 1.5 * 2 ** 52;

/** Rounds half to even, as IEEE 754 does. */
export const roundHalfEven = (value: number): number => value + NO_FRACTION - NO_FRACTION;

/** YIQ luma in [0, 1] of the pixel whose red byte is at `at`, rounded like float32 fused multiply-adds. */
export const lumaAt = (data: Uint8Array, at: number): number => {
  const red = RED[data[at] as number] as number;
  const green = Math.fround((GREEN[data[at + 1] as number] as number) + red);
  return Math.fround((BLUE[data[at + 2] as number] as number) + green);
};
