import type { Pixels } from './pixels.ts';

export interface ResizeOptions {
  readonly width: number;
  readonly height: number;
  readonly kernel: 'bilinear' | 'bicubic';
  /** Widens the kernel when downscaling, as PIL and torchvision do. */
  readonly antialias: boolean;
}

/** Resizes a picture to planes of red, green and blue, 0..255, unrounded. */
export function resizePlanes(pixels: Pixels, options: ResizeOptions) {
  const { width, height } = options;
  const columns = tapsFor(pixels.width, width, options);
  const rows = tapsFor(pixels.height, height, options);
  const planes = [0, 1, 2].map((channel) => resizeRows(resizeColumns(pixels, channel, columns), width, rows));
  return { width, height, planes };
}

/** For each output sample, the first input sample and the weights from there. */
type Taps = readonly { readonly first: number; readonly weights: readonly number[] }[];

function tapsFor(from: number, to: number, { kernel, antialias }: ResizeOptions): Taps {
  const ratio = from / to;
  const stretch = antialias ? Math.max(1, ratio) : 1;
  const { radius, weight } = antialias ? kernels[kernel] : sampled[kernel];
  return Array.from({ length: to }, (_, index) => {
    const centre = (index + 0.5) * ratio - 0.5;
    const first = Math.ceil(centre - radius * stretch);
    const last = Math.floor(centre + radius * stretch);
    const raw = Array.from({ length: last - first + 1 }, (__, tap) => weight((first + tap - centre) / stretch));
    return antialias ? cut(first, raw, from) : clamp(first, raw, from);
  });
}

const cubic =
  (a: number) =>
  (distance: number): number => {
    const x = Math.abs(distance);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
  };
const triangle = (distance: number): number => Math.max(0, 1 - Math.abs(distance));

const kernels = {
  bilinear: { radius: 1, weight: triangle },
  bicubic: { radius: 2, weight: cubic(-0.5) },
} as const;
// Without antialiasing, PyTorch's cubic uses -0.75.
const sampled = {
  bilinear: kernels.bilinear,
  bicubic: { radius: 2, weight: cubic(-0.75) },
} as const;

// With antialiasing, weights beyond the border are dropped and the rest renormalised.
function cut(first: number, raw: readonly number[], from: number) {
  const start = Math.max(0, first);
  const inside = raw.slice(start - first, Math.max(start - first, from - first));
  const sum = inside.reduce((total, weight) => total + weight, 0);
  return { first: start, weights: inside.map((weight) => weight / sum) };
}

// Without antialiasing, positions beyond the border repeat the last pixel.
function clamp(first: number, raw: readonly number[], from: number) {
  const start = Math.min(Math.max(0, first), from - 1);
  const weights: number[] = [];
  raw.forEach((weight, tap) => {
    const index = Math.min(Math.max(first + tap, 0), from - 1) - start;
    weights[index] = (weights[index] ?? 0) + weight;
  });
  return { first: start, weights };
}

interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

function resizeColumns(pixels: Pixels, channel: number, taps: Taps): Plane {
  const data = new Float32Array(taps.length * pixels.height);
  for (let y = 0, target = 0; y < pixels.height; y++) {
    const row = y * pixels.width;
    for (const { first, weights } of taps) {
      let sum = 0;
      let source = (row + first) * 3 + channel;
      for (const weight of weights) {
        sum += (pixels.data[source] as number) * weight;
        source += 3;
      }
      data[target++] = sum;
    }
  }
  return { width: taps.length, height: pixels.height, data };
}

function resizeRows(plane: Plane, width: number, taps: Taps): Float32Array {
  const result = new Float32Array(width * taps.length);
  taps.forEach(({ first, weights }, y) => {
    weights.forEach((weight, tap) => {
      const row = (first + tap) * width;
      for (let x = 0; x < width; x++) {
        const at = y * width + x;
        result[at] = (result[at] as number) + (plane.data[row + x] as number) * weight;
      }
    });
  });
  return result;
}
