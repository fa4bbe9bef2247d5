import model from '../../../metadata/models/niqe.json' with { type: 'json' };
import type { Pixels } from '../pixels.ts';
import { type Aggd, fitAggd, gamma, type Moments } from './aggd.ts';
import { distanceFrom, sampleCovariance } from './gaussian-distance.ts';
import { halfScale } from './half-scale.ts';
import { lumaBytes, type Plane } from './luma.ts';
import { gatherMoments64, type MomentGatherer } from './moments.ts';
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
  const half = blockFeatures(halfScale(plane, 255), BLOCK / 2, 255);
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
  const { width } = plane;
  const band = new Float64Array(side * width);
  const moments = gatherMoments64(side, side, 1);
  mscnRows64(plane, scale, (row, y) => {
    band.set(row, (y % side) * width);
    if (y % side !== side - 1) return;
    for (let left = 0; left < width; left += side) {
      for (let line = 0; line < side; line++) {
        moments.put(line, band.subarray(line * width + left, line * width + left + side));
      }
      features.push(featuresOf(moments, side));
    }
  });
  return features;
};

// The neighbour (y - dy, x - dx) of each pixel, the block wrapping round at its edges. That to the upper right comes as
// the lower left one of the row above: the pairs are the same.
const SHIFTS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [-1, 1],
] as const;

const featuresOf = (moments: MomentGatherer<Float64Array>, side: number): number[] => {
  for (let line = 0; line < side; line++) moments.addAlone(0, line);
  const { alpha, left, right } = scaledFit(moments.take(0));
  const features = [alpha, (left + right) / 2];
  for (const [dy, dx] of SHIFTS) {
    for (let line = 0; line < side; line++) moments.add(0, line, (line - dy + side) % side, dx);
    const fit = scaledFit(moments.take(0));
    const eta = ((fit.right - fit.left) * gamma(2 / fit.alpha)) / gamma(1 / fit.alpha);
    features.push(fit.alpha, eta, fit.left, fit.right);
  }
  return features;
};

const scaledFit = (moments: Moments): Aggd => {
  const { alpha, left, right } = fitAggd(moments);
  const scale = Math.sqrt(gamma(1 / alpha) / gamma(3 / alpha));
  return { alpha, left: left * scale, right: right * scale };
};
