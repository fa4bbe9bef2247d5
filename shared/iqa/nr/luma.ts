import type { Pixels } from '../pixels.ts';

/** One channel of a picture, row by row. */
export interface Plane<Data extends Uint8Array | Float32Array = Float32Array> {
  readonly width: number;
  readonly height: number;
  readonly data: Data;
}

const unit = (byte: number): number => Math.fround(byte / 255);
const tableOf = (weight: number): Float64Array =>
  Float64Array.from({ length: 256 }, (_, byte) => unit(byte) * Math.fround(weight));

// The first product is rounded to float32; the other two enter a fused multiply-add unrounded.
const RED = tableOf(0.299).map(Math.fround);
const GREEN = tableOf(0.587);
const BLUE = tableOf(0.114);

/** YIQ luma times 255, rounded half to even. */
export const lumaBytes = ({ width, height, data }: Pixels): Plane<Uint8Array> => {
  const plane = new Uint8Array(width * height);
  for (let pixel = 0, at = 0; pixel < plane.length; pixel++, at += 3) {
    plane[pixel] = roundHalfEven(Math.fround(255 * lumaAt(data, at)));
  }
  return { width, height, data: plane };
};

// Added to a double this leaves no room for a fraction, so the hardware itself rounds half to even.
const NO_FRACTION = 1.5 * 2 ** 52;

/** Rounds as IEEE 754 does: ties go to the even neighbour. */
export const roundHalfEven = (value: number): number => value + NO_FRACTION - NO_FRACTION;

/** YIQ luma in [0, 1] of the pixel whose red byte is at `at`, each step rounded as a float32 multiply-add rounds it. */
export const lumaAt = (data: Uint8Array, at: number): number => {
  const red = RED[data[at] as number] as number;
  const green = Math.fround((GREEN[data[at + 1] as number] as number) + red);
  return Math.fround((BLUE[data[at + 2] as number] as number) + green);
};
