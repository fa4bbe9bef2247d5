import { lazily } from '../../kernel/lazily.ts';
import { type BuiltGraph, createGraph } from '../graph.ts';
import type { GraphRunner } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { cubeRoot } from '../roots.ts';
import { complexRotation, halfCount, matrix, realBackward, realForward } from './fourier-tables.ts';

/** Saliency is computed on a picture of this side. */
export const side = 256;
export const tiny = 2 ** -52;

export const saliencyGraph = lazily(build);

/** How much each place of a picture draws the eye: 256 x 256 values, not normalised. */
export async function saliency(pixels: Pixels, runner: GraphRunner): Promise<Float64Array> {
  const { lab, a, b } = labPlanes(pixels);
  const { energy } = await runner.run(saliencyGraph(), {
    lab: { type: 'float32', data: lab, shape: [3, side, side] },
  });
  const [warmth, hue] = [extremes(a), extremes(b)];
  const centre = centrePrior();
  const salient = new Float64Array(side * side);
  for (let at = 0; at < salient.length; at++) {
    const x = shareOf(warmth, a[at] as number);
    const y = shareOf(hue, b[at] as number);
    const colour = 1 - Math.exp(-(x * x + y * y) / 1e-6);
    salient[at] = Math.sqrt((energy[at] as number) + tiny) * (centre[at] as number) * colour;
  }
  return salient;
}

/** The eye looks at the middle first. */
const centrePrior = lazily(() =>
  matrix(side, side, (row, column) => {
    const [y, x] = [row - (side / 2 - 1), column - (side / 2 - 1)];
    return Math.exp(-(y * y + x * x) / 145 ** 2);
  }),
);

/** 0 at the least value, 1 at the greatest, and 0 where all are equal. */
const shareOf = ({ low, high }: Extremes, value: number): number => (value - low) / (high - low + tiny);

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

// One band-pass over lightness and both colour axes; the three squared responses are added.
function build(): BuiltGraph<'energy'> {
  const graph = createGraph('vsi_saliency');
  const half = halfCount(side);
  const lab = graph.input('lab', 'float32', [3, side, side]);
  const rows = graph.constant(realForward(side), [side, 2 * half]);
  const along = graph.op('Concat', graph.halves(graph.op('MatMul', [lab, rows]), 2), { axis: 1 });
  const forward = graph.constant(complexRotation(side, 1), [2 * side, 2 * side]);
  const spectrum = graph.op('MatMul', [forward, along]);
  const gain = graph.constant(logGabor(half), [side, half]);
  const filtered = graph.mul(spectrum, graph.op('Concat', [gain, gain], { axis: 0 }));
  const backward = graph.op('Transpose', [forward], { perm: [1, 0] });
  const back = graph.op('Concat', graph.halves(graph.op('MatMul', [backward, filtered]), 1), { axis: 2 });
  const inverse = graph.constant(realBackward(side, 1 / side ** 2), [2 * half, side]);
  const response = graph.op('MatMul', [back, inverse]);
  return graph.build({ energy: { value: graph.sum(graph.mul(response, response), [0]), shape: [side, side] } });
}

/** The band-pass over non-negative frequencies of the columns; those of the rows go 0, 1, .. -1, as a transform gives them. */
function logGabor(half: number): Float32Array {
  const upper = matrix(half, half, (row, column) => {
    const radius = Math.sqrt(row * row + column * column) / side;
    return radius === 0 || radius > 0.5 ? 0 : Math.exp(-(Math.log(radius / 0.021) ** 2) / (2 * 1.34 ** 2));
  });
  const gain = new Float32Array(side * half);
  for (let row = 0; row < side; row++) {
    const mirror = Math.min(row, side - row);
    gain.set(upper.subarray(mirror * half, (mirror + 1) * half), row * half);
  }
  return gain;
}

/** Lightness and colour axes at 256 x 256, in float64: the colour prior divides their range by a millionth. */
function labPlanes(pixels: Pixels) {
  const linear = linearSamples(pixels);
  const size = side * side;
  const [lab, a, b] = [new Float32Array(3 * size), new Float64Array(size), new Float64Array(size)];
  for (let at = 0; at < size; at++) {
    const red = linear[3 * at] as number;
    const green = linear[3 * at + 1] as number;
    const blue = linear[3 * at + 2] as number;
    // The reference divides by the white of D50 after the matrix of D65.
    const fx = bend((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.964212);
    const fy = bend(0.2126729 * red + 0.7151522 * green + 0.072175 * blue);
    const fz = bend((0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / 0.825188);
    lab[at] = 116 * fy - 16;
    a[at] = 500 * (fx - fy);
    b[at] = 200 * (fy - fz);
  }
  lab.set(a, size);
  lab.set(b, 2 * size);
  return { lab, a, b };
}

// Kept: so large a piece of memory for each picture would keep the garbage collection busy.
const samplesMemory = lazily(() => new Float64Array(3 * side * side));

/** Red, green and blue at 256 x 256 by two neighbours on each axis, without their gamma curve. */
function linearSamples({ width, height, data }: Pixels): Float64Array {
  const samples = samplesMemory();
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

/** The gamma curve undone, to 1e-8, by a straight line between two known values: a power for each sample takes half the time of vsi. */
function linear(c: number): number {
  const place = c * STEPS;
  const index = place | 0;
  const low = LINEAR[index] as number;
  return low + (place - index) * ((LINEAR[index + 1] as number) - low);
}

const bend = (t: number): number => (t > 0.008856 ? cubeRoot(t) : (903.3 * t + 16) / 116);
const lerp = (from: number, to: number, share: number): number => from + (to - from) * share;

/** Where the 256 samples of an axis lie between its pixels: two neighbours, no smoothing. */
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
