import { lazily } from '../../kernel/lazily.ts';
import type { Pixels } from '../pixels.ts';
import { cubeRoot } from '../roots.ts';
import { bandEnergy, side } from './energy.ts';

export const tiny = 2 ** -52;

/** The visual saliency of each position: 256 x 256 values, not normalised, overwritten by the next call. */
export function saliency(pixels: Pixels): Float64Array {
  const { lab, a, b } = labPlanes(pixels);
  const energy = bandEnergy(lab);
  const [warmth, hue] = [extremes(a), extremes(b)];
  const [warmthScale, hueScale] = [1 / (warmth.high - warmth.low + tiny), 1 / (hue.high - hue.low + tiny)];
  const centre = centrePrior();
  const { salient } = memory();
  for (let at = 0; at < salient.length; at++) {
    const x = ((a[at] as number) - warmth.low) * warmthScale;
    const y = ((b[at] as number) - hue.low) * hueScale;
    const distance = (x * x + y * y) / 1e-6;
    // Beyond 40 the exponential is negligible.
    const colour = distance > 40 ? 1 : 1 - Math.exp(-distance);
    salient[at] = Math.sqrt((energy[at] as number) + tiny) * (centre[at] as number) * colour;
  }
  return salient;
}

/** A Gaussian prior: the eye looks at the centre first. */
const centrePrior = lazily(() =>
  Float32Array.from({ length: side * side }, (_, at) => {
    const [y, x] = [Math.floor(at / side) - (side / 2 - 1), (at % side) - (side / 2 - 1)];
    return Math.exp(-(y * y + x * x) / 145 ** 2);
  }),
);

export interface Extremes {
  readonly low: number;
  readonly high: number;
}

export function extremes(values: Float64Array): Extremes {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

/** CIELAB at 256 x 256. The colour axes are float64, because the colour prior divides their squares by 1e-6. */
function labPlanes(pixels: Pixels) {
  const linear = linearSamples(pixels);
  const size = side * side;
  const { lab, a, b } = memory();
  for (let at = 0; at < size; at++) {
    const red = linear[3 * at] as number;
    const green = linear[3 * at + 1] as number;
    const blue = linear[3 * at + 2] as number;
    // As in the reference: the matrix of D65, but the white point of D50.
    const fx = bend((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) * (1 / 0.964212));
    const fy = bend(0.2126729 * red + 0.7151522 * green + 0.072175 * blue);
    const fz = bend((0.0193339 * red + 0.119192 * green + 0.9503041 * blue) * (1 / 0.825188));
    lab[at] = 116 * fy - 16;
    a[at] = 500 * (fx - fy);
    b[at] = 200 * (fy - fz);
  }
  lab.set(a, size);
  lab.set(b, 2 * size);
  return { lab, a, b };
}

// Allocated once: arrays of this size for each picture would load the garbage collector.
const memory = lazily(() => ({
  samples: new Float64Array(3 * side * side),
  lab: new Float32Array(3 * side * side),
  a: new Float64Array(side * side),
  b: new Float64Array(side * side),
  salient: new Float64Array(side * side),
}));

/** Linear red, green and blue at 256 x 256, by bilinear interpolation. */
function linearSamples({ width, height, data }: Pixels): Float64Array {
  const { samples } = memory();
  const columns = sampling(width);
  const rows = sampling(height);
  for (let y = 0, target = 0; y < side; y++) {
    const above = 3 * width * (rows.first[y] as number);
    const below = 3 * width * (rows.second[y] as number);
    const down = rows.share[y] as number;
    for (let x = 0; x < side; x++) {
      const left = 3 * (columns.first[x] as number);
      const right = 3 * (columns.second[x] as number);
      const across = columns.share[x] as number;
      for (let channel = 0; channel < 3; channel++) {
        const upper = lerp(data[above + left + channel] as number, data[above + right + channel] as number, across);
        const lower = lerp(data[below + left + channel] as number, data[below + right + channel] as number, across);
        samples[target++] = linear(lerp(upper, lower, down) / 255);
      }
    }
  }
  return samples;
}

const STEPS = 8192;
const LINEAR = Float64Array.from({ length: STEPS + 2 }, (_, index) => {
  const c = index / STEPS;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

/** The inverse gamma curve, interpolated in a table (error 1e-8): computing a power per sample takes half the time of vsi. */
function linear(c: number): number {
  const place = c * STEPS;
  const index = place | 0;
  const low = LINEAR[index] as number;
  return low + (place - index) * ((LINEAR[index + 1] as number) - low);
}

const bend = (t: number): number => (t > 0.008856 ? cubeRoot(t) : (903.3 * t + 16) / 116);
const lerp = (from: number, to: number, share: number): number => from + (to - from) * share;

/** For each of the 256 samples of an axis: its two neighbouring pixels and the weight of the second; no antialiasing. */
function sampling(length: number) {
  const first = new Int32Array(side);
  const second = new Int32Array(side);
  const share = new Float64Array(side);
  for (let index = 0; index < side; index++) {
    const source = Math.max(((index + 0.5) * length) / side - 0.5, 0);
    first[index] = Math.min(Math.floor(source), length - 1);
    second[index] = Math.min((first[index] as number) + 1, length - 1);
    share[index] = source - Math.floor(source);
  }
  return { first, second, share };
}
