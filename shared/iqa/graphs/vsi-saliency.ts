import { type BuiltGraph, createGraph } from '../graph.ts';
import { lazily } from '../lazily.ts';
import type { GraphRunner } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { complexRotation, halfCount, matrix, realBackward, realForward } from './fourier-tables.ts';

/** Saliency is computed on a picture of this side. */
export const side = 256;
export const tiny = 2 ** -52;

export const saliencyGraph = lazily(build);

/** How much each place of a picture draws the eye: 256 x 256 values, not normalised. */
export async function saliency(pixels: Pixels, runner: GraphRunner): Promise<Float64Array> {
  const [lightness, a, b] = labPlanes(pixels);
  const lab = new Float32Array(3 * side * side);
  [lightness, a, b].forEach((plane, index) => {
    lab.set(plane, index * side * side);
  });
  const { energy } = await runner.run(saliencyGraph(), {
    lab: { type: 'float32', data: lab, shape: [3, side, side] },
  });
  const [warmth, hue] = [normalised(a), normalised(b)];
  const centre = centrePrior();
  const salient = new Float64Array(side * side);
  for (let at = 0; at < salient.length; at++) {
    const colour = 1 - Math.exp(-((warmth[at] as number) ** 2 + (hue[at] as number) ** 2) / 1e-6);
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

/** (x - min) / (max - min), 0 where all are equal. */
export function normalised(values: Float64Array): Float64Array {
  const { low, high } = extremes(values);
  return values.map((value) => (value - low) / (high - low + tiny));
}

export function extremes(values: Float64Array): { readonly low: number; readonly high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
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
  const gain = matrix(2 * side, half, (row, column) => logGabor(row % side, column));
  const filtered = graph.mul(spectrum, graph.constant(gain, [2 * side, half]));
  const backward = graph.constant(complexRotation(side, -1), [2 * side, 2 * side]);
  const back = graph.op('Concat', graph.halves(graph.op('MatMul', [backward, filtered]), 1), { axis: 2 });
  const inverse = graph.constant(realBackward(side, 1 / side ** 2), [2 * half, side]);
  const response = graph.op('MatMul', [back, inverse]);
  return graph.build({ energy: { value: graph.sum(graph.mul(response, response), [0]), shape: [side, side] } });
}

function logGabor(row: number, column: number): number {
  const signed = (index: number): number => (index < side / 2 ? index : index - side) / side;
  const radius = Math.hypot(signed(row), signed(column));
  if (radius === 0 || radius > 0.5) return 0;
  return Math.exp(-(Math.log(radius / 0.021) ** 2) / (2 * 1.34 ** 2));
}

/** Lightness and colour axes at 256 x 256, in float64: the colour prior divides their range by a millionth. */
function labPlanes(pixels: Pixels): readonly [Float64Array, Float64Array, Float64Array] {
  const red = linearPlane(pixels, 0);
  const green = linearPlane(pixels, 1);
  const blue = linearPlane(pixels, 2);
  // The reference divides by the white of D50 after the matrix of D65.
  const fx = bentMix(red, green, blue, 0.4124564 / 0.964212, 0.3575761 / 0.964212, 0.1804375 / 0.964212);
  const fy = bentMix(red, green, blue, 0.2126729, 0.7151522, 0.072175);
  const fz = bentMix(red, green, blue, 0.0193339 / 0.825188, 0.119192 / 0.825188, 0.9503041 / 0.825188);
  return [
    fy.map((y) => 116 * y - 16),
    fx.map((x, at) => 500 * (x - (fy[at] as number))),
    fy.map((y, at) => 200 * (y - (fz[at] as number))),
  ];
}

/** One channel at 256 x 256 by two neighbours on each axis, without its gamma curve. */
function linearPlane({ width, height, data }: Pixels, channel: number): Float64Array {
  const plane = new Float64Array(side * side);
  const columns = sampling(width);
  let target = 0;
  for (const row of sampling(height)) {
    const above = row.first * width * 3 + channel;
    const below = row.second * width * 3 + channel;
    for (const { first, second, share } of columns) {
      const upper = lerp(data[above + 3 * first] as number, data[above + 3 * second] as number, share);
      const lower = lerp(data[below + 3 * first] as number, data[below + 3 * second] as number, share);
      plane[target++] = linear(lerp(upper, lower, row.share) / 255);
    }
  }
  return plane;
}

function bentMix(red: Float64Array, green: Float64Array, blue: Float64Array, r: number, g: number, b: number) {
  return red.map((value, at) => bend(r * value + g * (green[at] as number) + b * (blue[at] as number)));
}

const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const bend = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : (903.3 * t + 16) / 116);
const lerp = (from: number, to: number, share: number): number => from + (to - from) * share;

/** Where the 256 samples of an axis lie between its pixels: two neighbours, no smoothing. */
function sampling(length: number) {
  return Array.from({ length: side }, (_, index) => {
    const source = Math.max(((index + 0.5) * length) / side - 0.5, 0);
    const first = Math.min(Math.floor(source), length - 1);
    return { first, second: Math.min(first + 1, length - 1), share: source - Math.floor(source) };
  });
}
