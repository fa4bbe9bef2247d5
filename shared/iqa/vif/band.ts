import { eigen } from '../jacobi.ts';
import { PLACES } from './covariance.ts';
import type { BlockGains } from './windows.ts';

const BLOCK = 3;
const NEURAL_NOISE = 0.4;

/** Information of a band that reaches the eye with the distortion, and without it. */
export interface Information {
  readonly distorted: number;
  readonly reference: number;
}

/** Adds up the information of a band's blocks, given the covariance of the reference's blocks. */
export const gatherInformation = (covariance: Float64Array) => {
  const { values, vectors } = eigen(covariance, PLACES);
  const largest = values.reduce((a, b) => Math.max(a, b));
  const positive = values.map((value) => Math.max(0, value));
  const usable = Array.from({ length: PLACES }, (_, k) => k).filter((k) => (values[k] as number) > 1e-13 * largest);
  // Eigenvectors divided by the root of their eigenvalues: the squared length of a whitened block is its strength.
  const whitening = Float64Array.from(
    usable.flatMap((k) =>
      Array.from(vectors.subarray(k * PLACES, (k + 1) * PLACES), (v) => v / Math.sqrt(values[k] as number)),
    ),
  );
  const content = new Float64Array(PLACES);
  let [distorted, reference] = [0, 0];
  return {
    /** Adds a row of blocks: three rows of the reference band, by the index of the first block's first column. */
    add(numbers: Float64Array, rows: readonly [number, number, number], { gain, noise }: BlockGains): void {
      for (let column = 0; column < gain.length; column++) {
        for (let place = 0; place < PLACES; place++)
          content[place] = numbers[(rows[(place / BLOCK) | 0] as number) + BLOCK * column + (place % BLOCK)] as number;
        const strength = sumOfSquares(whitening, content) / PLACES;
        const [slope, rest] = [gain[column] as number, noise[column] as number];
        distorted += logProduct(positive, (slope * slope * strength) / (rest + NEURAL_NOISE));
        reference += logProduct(positive, strength / NEURAL_NOISE);
      }
    },
    total: (): Information => ({ distorted, reference }),
  };
};

function sumOfSquares(whitening: Float64Array, content: Float64Array): number {
  let strength = 0;
  for (let at = 0; at < whitening.length; at += PLACES) {
    let sum = 0;
    for (let place = 0; place < PLACES; place++) sum += (whitening[at + place] as number) * (content[place] as number);
    strength += sum * sum;
  }
  return strength;
}

/** The sum of log2(1 + factor * value): one logarithm of the product, unless that would overflow. */
function logProduct(values: Float64Array, factor: number): number {
  let product = 1;
  for (let k = 0; k < PLACES; k++) product *= 1 + factor * (values[k] as number);
  if (product < Number.MAX_VALUE) return Math.log2(product);
  return values.reduce((sum, value) => sum + Math.log2(1 + factor * value), 0);
}
