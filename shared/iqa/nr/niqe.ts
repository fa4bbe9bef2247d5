import model from '../../../metadata/models/niqe.json' with { type: 'json' };
import type { Pixels } from '../pixels.ts';
import { addSamples, fitAggd, gamma, noMoments } from './aggd.ts';
import { distanceFrom, sampleCovariance } from './gaussian-distance.ts';
import { halfScale } from './half-scale.ts';
import { lumaBytes, type Plane } from './luma.ts';
import { mscnRows64 } from './mscn.ts';

const BLOCK = 96;

/** Natural image quality evaluator with BasicSR's pristine model; lower is better. NaN where it is undefined. */
export const niqe = (picture: Pixels): number => {
  const blocks = niqeFeatures(picture);
  const mean = Array.from({ length: 36 }, (_, feature) => {
    const known = blocks.map((block) => block[feature] as number).filter((value) => !Number.isNaN(value));
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  });
  const complete = blocks.filter((block) => block.every((value) => !Number.isNaN(value)));
  if (complete.length === 0) return Number.NaN;
  const covariance = sampleCovariance(complete, 36);
  const pooled = covariance.map((row, i) => row.map((value, j) => (value + pristineCovariance(i, j)) / 2));
  return distanceFrom(
    mean.map((value, i) => (model.mean[i] as number) - value),
    pooled,
  );
};

/** 36 statistics of every whole block of 96 x 96 pixels. */
export const niqeFeatures = (picture: Pixels): readonly (readonly number[])[] => {
  const plane = cropped(lumaBytes(picture));
  const whole = blockFeatures(plane, BLOCK, 1);
  // The half scale is made from values in [0, 1], rounded to float32.
  const half = blockFeatures(
    halfScale(plane, (value) => value / 255),
    BLOCK / 2,
    255,
  );
  return whole.map((features, i) => [...features, ...(half[i] as readonly number[])]);
};

const pristineCovariance = (i: number, j: number): number =>
  (model.covariance_lower_triangle[Math.max(i, j)] as readonly number[])[Math.min(i, j)] as number;

const cropped = ({ width, height, data }: Plane<Uint8Array>): Plane<Uint8Array> => {
  const wide = width - (width % BLOCK);
  const high = height - (height % BLOCK);
  const out = new Uint8Array(wide * high);
  for (let y = 0; y < high; y++) out.set(data.subarray(y * width, y * width + wide), y * wide);
  return { width: wide, height: high, data: out };
};

const blockFeatures = (plane: Plane<Uint8Array | Float32Array>, side: number, scale: number): readonly number[][] => {
  const features: number[][] = [];
  const columns = plane.width / side;
  const band = Array.from({ length: columns }, () => new Float64Array(side * side));
  mscnRows64(plane, scale, (row, y) => {
    const at = (y % side) * side;
    band.forEach((block, column) => {
      block.set(row.subarray(column * side, (column + 1) * side), at);
    });
    if (y % side === side - 1) for (const block of band) features.push(featuresOf(block, side));
  });
  return features;
};

// The neighbour (y - dy, x - dx) of each pixel, the block wrapping round at its edges.
const SHIFTS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
] as const;

const featuresOf = (block: Float64Array, side: number): number[] => {
  const moments = noMoments();
  addSamples(moments, block);
  const { alpha, left, right } = scaledFit(moments);
  const features = [alpha, (left + right) / 2];
  const products = new Float64Array(side);
  for (const [dy, dx] of SHIFTS) {
    const pairs = noMoments();
    for (let y = 0; y < side; y++) {
      const own = y * side;
      const other = ((y - dy + side) % side) * side;
      for (let x = 0; x < side; x++) {
        const neighbour = x - dx < 0 ? side - 1 : x - dx === side ? 0 : x - dx;
        products[x] = (block[own + x] as number) * (block[other + neighbour] as number);
      }
      addSamples(pairs, products);
    }
    const fit = scaledFit(pairs);
    const eta = ((fit.right - fit.left) * gamma(2 / fit.alpha)) / gamma(1 / fit.alpha);
    features.push(fit.alpha, eta, fit.left, fit.right);
  }
  return features;
};

const scaledFit = (moments: ReturnType<typeof noMoments>): ReturnType<typeof fitAggd> => {
  const { alpha, left, right } = fitAggd(moments);
  const scale = Math.sqrt(gamma(1 / alpha) / gamma(3 / alpha));
  return { alpha, left: left * scale, right: right * scale };
};
