import model from '../../../metadata/models/brisque.json' with { type: 'json' };
import type { RowRange } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { fitAggd, fitGgd, gamma, type Moments, packMoments, unpackMoments } from './aggd.ts';
import { RADIUS } from './contrast-kernels.ts';
import { halfScale } from './half-scale.ts';
import { type Plane, rowsAround, type SharedLuma, shareLuma } from './luma.ts';
import { gatherMoments32 } from './moments.ts';
import { mscnRows32 } from './mscn.ts';

/** Blind spatial quality evaluator with LIVE's regressor; lower is better. NaN if its statistics are undefined. */
export const brisque = (sums: Float64Array): number => regress(brisqueFeatures(sums));

const PER_SCALE = 5;

/** The moments at both scales of some rows, whose range begins and ends at even rows. */
export const brisqueSums = (
  picture: Pixels,
  rows: RowRange,
  luma: SharedLuma = shareLuma(picture, rows),
): Float64Array => {
  const whole = luma();
  const halfHeight = Math.ceil(whole.height / 2);
  const halfRows = { from: rows.from / 2, to: rows.to === whole.height ? halfHeight : rows.to / 2 };
  const half = halfScale(whole, 1, rowsAround(halfRows, halfHeight, RADIUS + 1));
  return packMoments([...computeMoments(whole, rows), ...computeMoments(half, halfRows)]);
};

/** The 36 natural-scene statistics: 18 of the picture and 18 of its half scale. */
const brisqueFeatures = (sums: Float64Array): readonly number[] => {
  const moments = unpackMoments(sums);
  return [...computeFeatures(moments.slice(0, PER_SCALE)), ...computeFeatures(moments.slice(PER_SCALE))];
};

/** The moments of the values, then of their products with the left, upper, upper left and lower left neighbour. */
const computeMoments = (plane: Plane<Uint8Array | Float32Array>, { from, to }: RowRange): readonly Moments[] => {
  const { width, height } = plane;
  const moments = gatherMoments32(width, 2, PER_SCALE);
  // Two slots, used alternately, hold a row and the one above it.
  const slotOf = (y: number): number => (y - from + 2) % 2;
  // The picture wraps round at its edges: the first row's neighbour above is the last row.
  const above = from === 0 ? height - 1 : from - 1;
  const visit = (row: Float32Array, y: number): void => {
    const [own, upper] = [slotOf(y), slotOf(y - 1)];
    moments.put(own, row);
    moments.addAlone(0, own);
    moments.add(1, own, own, 1);
    moments.add(2, own, upper, 0);
    moments.add(3, own, upper, 1);
    // The lower left neighbour is the upper right one, seen from the row below: the same pair.
    moments.add(4, upper, own, 1);
  };
  if (to > from) {
    mscnRows32(plane, 'zero', (row) => moments.put(slotOf(from - 1), row), { from: above, to: above + 1 });
    mscnRows32(plane, 'zero', visit, { from, to });
  }
  return Array.from({ length: PER_SCALE }, (_, at) => moments.take(at));
};

const computeFeatures = (moments: readonly Moments[]): readonly number[] => {
  const [alone, ...pairs] = moments as readonly [Moments, ...Moments[]];
  const { alpha, meanSquare } = fitGgd(alone);
  return [alpha, meanSquare, ...pairs.flatMap((pair) => pairFeatures(fitAggd(pair)))];
};

const pairFeatures = ({ alpha, left, right }: ReturnType<typeof fitAggd>): readonly number[] => {
  const eta = ((right - left) * gamma(2 / alpha)) / Math.sqrt(gamma(1 / alpha) * gamma(3 / alpha));
  return [alpha, eta, left ** 2, right ** 2];
};

const regress = (features: readonly number[]): number => {
  const scaled = features.map((feature, i) => {
    const [min, max] = model.ranges[i] as [number, number];
    return -1 + (2 * (feature - min)) / (max - min);
  });
  return model.vectors.reduce((score, vector, i) => {
    const distance = vector.reduce((sum, value, j) => sum + ((scaled[j] as number) - value) ** 2, 0);
    return score + (model.coefficients[i] as number) * Math.exp(-model.gamma * distance);
  }, model.bias);
};
