import model from '../../../metadata/models/brisque.json' with { type: 'json' };
import type { RowRange } from '../metric.ts';
import type { Pixels } from '../pixels.ts';
import { addSamples, fitAggd, fitGgd, gamma, type Moments, noMoments, packMoments, unpackMoments } from './aggd.ts';
import { halfScale } from './half-scale.ts';
import { lumaBytes, type Plane } from './luma.ts';
import { mscnRows32 } from './mscn.ts';

/** Blind spatial quality evaluator with LIVE's regressor; lower is better. NaN where its statistics are undefined. */
export const brisque = (sums: Float64Array): number => regress(brisqueFeatures(sums));

const PER_SCALE = 5;

/** The moments of some rows, which begin and end at even ones, at both scales. */
export const brisqueSums = (picture: Pixels, rows: RowRange): Float64Array => {
  const whole = lumaBytes(picture);
  const half = halfScale(whole, (value) => value);
  const halfRows = { from: rows.from / 2, to: rows.to === whole.height ? half.height : rows.to / 2 };
  return packMoments([...momentsOf(whole, rows), ...momentsOf(half, halfRows)]);
};

/** The 36 natural-scene statistics, 18 of the picture and 18 of its half scale. */
const brisqueFeatures = (sums: Float64Array): readonly number[] => {
  const moments = unpackMoments(sums);
  return [...featuresOf(moments.slice(0, PER_SCALE)), ...featuresOf(moments.slice(PER_SCALE))];
};

// The neighbour (y - dy, x - dx) of each pixel, the picture wrapping round at its edges.
const SHIFTS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [-1, 1],
] as const;

/** Of the values, then of their products with the neighbours. */
const momentsOf = (plane: Plane<Uint8Array | Float32Array>, { from, to }: RowRange): readonly Moments[] => {
  const { width, height } = plane;
  const alone = noMoments();
  const pairs = SHIFTS.map(noMoments);
  const products = new Float32Array(width);
  const before = new Float32Array(width);
  const multiply = (row: Float32Array, above: Float32Array): void => {
    SHIFTS.forEach(([dy, dx], i) => {
      // A neighbour below is met from the row below: the pair is the same.
      const [own, other] = dy === 0 ? [row, row] : dy === 1 ? [row, above] : [above, row];
      for (let x = 0; x < width; x++) {
        products[x] = (own[x] as number) * (other[x < dx ? width - 1 : x - dx] as number);
      }
      addSamples(pairs[i] as Moments, products);
    });
  };
  if (to <= from) return [alone, ...pairs];
  // The first row's neighbour above is the last row.
  const above = from === 0 ? height - 1 : from - 1;
  mscnRows32(plane, 'zero', (row) => before.set(row), { from: above, to: above + 1 });
  mscnRows32(
    plane,
    'zero',
    (row) => {
      addSamples(alone, row);
      multiply(row, before);
      before.set(row);
    },
    { from, to },
  );
  return [alone, ...pairs];
};

const featuresOf = ([alone = noMoments(), ...pairs]: readonly Moments[]): readonly number[] => {
  const { alpha, meanSquare } = fitGgd(alone);
  return [alpha, meanSquare, ...pairs.flatMap((moments) => pairFeatures(fitAggd(moments)))];
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
