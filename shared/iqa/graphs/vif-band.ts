import { eigen } from '../jacobi.ts';
import type { Plane } from './plane-filter.ts';
import { blockCovariance } from './vif-covariance.ts';
import { type BlockGains, blockGains } from './vif-windows.ts';

const block = 3;
const places = block * block;
const neuralNoise = 0.4;

/** Information of one band that reached the eye with the distortion, and without it. */
export interface Information {
  readonly distorted: number;
  readonly reference: number;
}

/** Compares a band of both pictures. `level` counts from the finest; a band too small for its window adds nothing. */
export function bandInformation(reference: Plane, distorted: Plane, level: number): Information {
  const width = reference.width - (reference.width % block);
  const height = reference.height - (reference.height % block);
  const x = crop(reference, width, height);
  const gains = blockGains(x, crop(distorted, width, height), 2 ** (4 - level) + 1);
  if (gains.columns <= 0 || gains.rows <= 0) return { distorted: 0, reference: 0 };
  const { values, vectors } = eigen(blockCovariance(x), places);
  return addBlocks(x, gains, values, vectors);
}

function addBlocks(x: Plane, gains: BlockGains, values: Float64Array, vectors: Float64Array): Information {
  const largest = values.reduce((a, b) => Math.max(a, b));
  const usable = Array.from({ length: places }, (_, k) => k).filter((k) => (values[k] as number) > 1e-13 * largest);
  const positive = values.map((value) => Math.max(0, value));
  const content = new Float64Array(places);
  let [distorted, reference] = [0, 0];
  for (let row = 0, at = 0; row < gains.rows; row++) {
    for (let column = 0; column < gains.columns; column++, at++) {
      readBlock(x, (gains.margin + row) * block, (gains.margin + column) * block, content);
      let strength = 0;
      for (const k of usable) strength += project(vectors, k, content) ** 2 / (values[k] as number);
      strength /= places;
      const gain = gains.gain[at] as number;
      distorted += logProduct(positive, (gain * gain * strength) / ((gains.noise[at] as number) + neuralNoise));
      reference += logProduct(positive, strength / neuralNoise);
    }
  }
  return { distorted, reference };
}

function readBlock({ width, data }: Plane, top: number, left: number, content: Float64Array): void {
  for (let place = 0; place < places; place++) {
    content[place] = data[(top + Math.floor(place / block)) * width + left + (place % block)] as number;
  }
}

function project(vectors: Float64Array, k: number, content: Float64Array): number {
  let sum = 0;
  for (let place = 0; place < places; place++)
    sum += (vectors[k * places + place] as number) * (content[place] as number);
  return sum;
}

/** The sum of log2(1 + factor * value): one logarithm of the product, unless that would overflow. */
function logProduct(values: Float64Array, factor: number): number {
  let product = 1;
  for (let k = 0; k < places; k++) product *= 1 + factor * (values[k] as number);
  if (product < Number.MAX_VALUE) return Math.log2(product);
  return values.reduce((sum, value) => sum + Math.log2(1 + factor * value), 0);
}

function crop({ width, height, data }: Plane, newWidth: number, newHeight: number): Plane {
  if (width === newWidth && height === newHeight) return { width, height, data };
  const cropped = new Float32Array(newWidth * newHeight);
  for (let row = 0; row < newHeight; row++)
    cropped.set(data.subarray(row * width, row * width + newWidth), row * newWidth);
  return { width: newWidth, height: newHeight, data: cropped };
}
