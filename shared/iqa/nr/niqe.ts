import model from '../../../metadata/models/niqe.json' with { type: 'json' };
import type { RowRange } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { type Aggd, fitAggd, gamma, type Moments } from './aggd.ts';
import { RADIUS } from './contrast-kernels.ts';
import { distanceFrom } from './gaussian-distance.ts';
import { halfScale } from './half-scale.ts';
import { type Plane, rowsAround, type SharedLuma, shareLuma } from './luma.ts';
import { gatherMoments64, type MomentGatherer } from './moments.ts';
import { mscnRows64 } from './mscn.ts';

const BLOCK = 96;
const FEATURES = 36;

/** Natural image quality evaluator with BasicSR's pristine model; lower is better. NaN if it is undefined. */
export const niqe = (sums: Float64Array): number => {
  const [known, totals, complete] = [0, 1, 2].map((at) => sums.subarray(at * FEATURES, (at + 1) * FEATURES)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const count = sums.at(-1) as number;
  if (count === 0) return Number.NaN;
  const covariance = covarianceFrom(complete, sums.subarray(3 * FEATURES), count);
  const pooled = covariance.map((row, i) => row.map((value, j) => (value + pristineCovariance(i, j)) / 2));
  return distanceFrom(
    Array.from(totals, (total, i) => (model.mean[i] as number) - total / (known[i] as number)),
    pooled,
  );
};

/**
 * Sums over the blocks of some rows: for each feature the number of blocks that have it and its total; then, over blocks
 * that have all features, the totals, the products of every two features, and the number of blocks.
 */
export const niqeSums = (picture: Pixels, rows: RowRange, luma?: SharedLuma): Float64Array => {
  const sums = new Float64Array(3 * FEATURES + FEATURES ** 2 + 1);
  const add = (at: number, value: number): void => {
    sums[at] = (sums[at] as number) + value;
  };
  for (const block of niqeFeatures(picture, rows, luma)) {
    const isComplete = !block.some(Number.isNaN);
    for (const [i, value] of block.entries()) {
      if (Number.isNaN(value)) continue;
      add(i, 1);
      add(FEATURES + i, value);
      if (!isComplete) continue;
      add(2 * FEATURES + i, value);
      for (const [j, other] of block.entries()) add((3 + i) * FEATURES + j, value * other);
    }
    if (isComplete) add(sums.length - 1, 1);
  }
  return sums;
};

/** 36 statistics of every whole block of 96 x 96 pixels in some rows, whose range begins at a block. */
export const niqeFeatures = (
  picture: Pixels,
  rows: RowRange = { from: 0, to: picture.height },
  luma: SharedLuma = shareLuma(picture, rows),
): readonly (readonly number[])[] => {
  const plane = cropped(luma());
  const { from } = rows;
  const to = Math.min(rows.to, plane.height);
  if (from >= to) return [];
  const whole = blockFeatures(plane, BLOCK, 1, { from, to });
  const halfRows = { from: from / 2, to: to / 2 };
  // The half scale is computed from values in [0, 1], rounded to float32.
  const halfPlane = halfScale(plane, 255, rowsAround(halfRows, plane.height / 2, RADIUS));
  const half = blockFeatures(halfPlane, BLOCK / 2, 255, halfRows);
  return whole.map((features, i) => [...features, ...(half[i] as readonly number[])]);
};

/** The sample covariance, divided by count - 1 (by 1 for a single block). */
const covarianceFrom = (totals: Float64Array, products: Float64Array, count: number): readonly (readonly number[])[] =>
  Array.from(totals, (one, i) =>
    Array.from(
      totals,
      (other, j) => ((products[i * FEATURES + j] as number) - (one * other) / count) / Math.max(count - 1, 1),
    ),
  );

const pristineCovariance = (i: number, j: number): number =>
  (model.covariance_lower_triangle[Math.max(i, j)] as readonly number[])[Math.min(i, j)] as number;

const cropped = ({ width, height, data }: Plane<Uint8Array>): Plane<Uint8Array> => {
  const wide = width - (width % BLOCK);
  const high = height - (height % BLOCK);
  const out = new Uint8Array(wide * high);
  for (let y = 0; y < high; y++) out.set(data.subarray(y * width, y * width + wide), y * wide);
  return { width: wide, height: high, data: out };
};

const blockFeatures = (
  plane: Plane<Uint8Array | Float32Array>,
  side: number,
  scale: number,
  rows: RowRange,
): readonly number[][] => {
  const features: number[][] = [];
  const { width } = plane;
  const band = new Float64Array(side * width);
  const moments = gatherMoments64(side, side, 1);
  const visit = (row: Float64Array, y: number): void => {
    band.set(row, (y % side) * width);
    if (y % side !== side - 1) return;
    for (let left = 0; left < width; left += side) {
      for (let line = 0; line < side; line++) {
        moments.put(line, band.subarray(line * width + left, line * width + left + side));
      }
      features.push(computeFeatures(moments, side));
    }
  };
  mscnRows64(plane, scale, visit, rows);
  return features;
};

// The neighbours (y - dy, x - dx) of each pixel; blocks wrap around at their edges. The upper right neighbour appears as
// the lower left one of the row above: the same pair.
const SHIFTS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [-1, 1],
] as const;

const computeFeatures = (moments: MomentGatherer<Float64Array>, side: number): number[] => {
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
