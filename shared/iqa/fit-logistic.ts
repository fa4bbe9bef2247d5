import type { LogisticParams } from '../model/iqa.ts';
import { BEST, WORST } from './normalise.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The logistic between 1 and 5 nearest to the points in least squares. With `pristine`, the raw score of an
 * undistorted picture, it reaches at least `floor` there. Monotone by construction.
 */
export const fitLogistic = (
  points: readonly Point[],
  lowerBetter: boolean,
  pristine?: number,
  floor = WORST,
): LogisticParams => {
  const sign = lowerBetter ? -1 : 1;
  const xs = points.map(({ x }) => x).sort((a, b) => a - b);
  const low = xs[0] ?? 0;
  const span = (xs.at(-1) ?? 1) - low || 1;
  // (floor - 1) / (5 - floor) is how many times the exponential term must fit into 1 at the pristine score.
  const steps = Math.log((floor - WORST) / (BEST - floor));
  const widthAt = (centre: number, width: number): number =>
    pristine === undefined ? width : Math.min(width, (sign * (pristine - centre)) / steps);
  const loss = ([centre, logWidth]: Two): number => {
    const width = widthAt(centre, Math.exp(logWidth));
    // A curve steeper than its own rounding would not keep its promise at the pristine score.
    if (!(width > 1e-4 * span)) return Number.POSITIVE_INFINITY;
    return points.reduce((sum, { x, y }) => {
      const value = WORST + (BEST - WORST) / (1 + Math.exp((-sign * (x - centre)) / width));
      return sum + (value - y) ** 2;
    }, 0);
  };
  const starts = [0.2, 0.5, 0.8].flatMap((share) =>
    [0.02, 0.1, 0.4].map((width): Two => [low + share * span, Math.log(width * span)]),
  );
  const [centre, logWidth] = starts
    .map((start) => descend(loss, start, [0.1 * span, 0.5]))
    .reduce((best, next) => (loss(next) < loss(best) ? next : best));
  const [beta1, beta2] = lowerBetter ? [WORST, BEST] : [BEST, WORST];
  const beta3 = rounded(centre);
  return { beta1, beta2, beta3, beta4: rounded(widthAt(beta3, Math.exp(logWidth)) * (1 - 1e-4)) };
};

type Two = readonly [number, number];

// Five digits are more than a calibration is worth; the width is taken a little narrower to stay above the floor.
const rounded = (value: number): number => Number(value.toPrecision(6));

/** Pattern search: tries a step each way on both axes, and halves the steps when none is better. */
const descend = (loss: (at: Two) => number, start: Two, steps: Two): Two => {
  let at = start;
  let best = loss(at);
  let [dx, dy] = steps;
  for (let round = 0; round < 400 && Math.abs(dx) > 1e-7 * Math.abs(steps[0]); round++) {
    const moves: readonly Two[] = [
      [at[0] + dx, at[1]],
      [at[0] - dx, at[1]],
      [at[0], at[1] + dy],
      [at[0], at[1] - dy],
    ];
    const better = moves.map((to) => ({ to, value: loss(to) })).reduce((a, b) => (b.value < a.value ? b : a));
    if (better.value < best) [at, best] = [better.to, better.value];
    else [dx, dy] = [dx / 2, dy / 2];
  }
  return at;
};
