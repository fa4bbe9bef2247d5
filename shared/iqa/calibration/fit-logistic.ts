import type { LogisticParams } from '../../model/iqa.ts';
import { BEST, WORST } from '../normalise.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Least-squares fit of a logistic to the points, with its ends free within 1..5. Monotone by construction. */
export const fitLogistic = (points: readonly Point[], lowerBetter: boolean): LogisticParams => {
  const sign = lowerBetter ? -1 : 1;
  const xs = points.map(({ x }) => x).sort((a, b) => a - b);
  const low = xs[0] ?? 0;
  const span = (xs.at(-1) ?? 1) - low || 1;
  const curveAt = ([centre, logWidth]: Two): Curve => endsFor(points, sign, centre, Math.exp(logWidth));
  const loss = (at: Two): number => (Math.exp(at[1]) > 1e-4 * span ? curveAt(at).loss : Number.POSITIVE_INFINITY);
  const starts = [0.2, 0.5, 0.8, 0.95].flatMap((share) =>
    [0.02, 0.1, 0.4].map((width): Two => [low + share * span, Math.log(width * span)]),
  );
  const best = starts
    .map((start) => descend(loss, start, [0.1 * span, 0.5]))
    .reduce((found, next) => (loss(next) < loss(found) ? next : found));
  const { bottom, top } = curveAt(best);
  const [beta1, beta2] = lowerBetter ? [bottom, top] : [top, bottom];
  return {
    beta1: rounded(beta1),
    beta2: rounded(beta2),
    beta3: rounded(best[0]),
    beta4: rounded(Math.exp(best[1])),
  };
};

interface Curve {
  readonly bottom: number;
  readonly top: number;
  readonly loss: number;
}

/** With centre and width fixed, the ends follow from linear regression: y = bottom + (top - bottom) * s. */
const endsFor = (points: readonly Point[], sign: number, centre: number, width: number): Curve => {
  const shares = points.map(({ x }) => 1 / (1 + Math.exp((-sign * (x - centre)) / width)));
  const [n, y] = [points.length, points.map((point) => point.y)];
  const sum = (value: (i: number) => number): number => y.reduce((total, _, i) => total + value(i), 0);
  const s = (i: number): number => shares[i] as number;
  const [sy, ss, st, tt] = [
    sum((i) => y[i] as number),
    sum(s),
    sum((i) => s(i) * (y[i] as number)),
    sum((i) => s(i) ** 2),
  ];
  const slope = Math.max(0, (n * st - ss * sy) / (n * tt - ss * ss || 1));
  let bottom = Math.max(WORST, (sy - slope * ss) / n);
  let top = bottom === WORST ? WORST + Math.max(0, (st - WORST * ss) / (tt || 1)) : bottom + slope;
  if (top > BEST) {
    top = BEST;
    // y - 5s = bottom * (1 - s)
    const weight = sum((i) => (1 - s(i)) ** 2);
    bottom = Math.min(BEST, Math.max(WORST, sum((i) => (1 - s(i)) * ((y[i] as number) - BEST * s(i))) / (weight || 1)));
  }
  return { bottom, top, loss: sum((i) => (bottom + (top - bottom) * s(i) - (y[i] as number)) ** 2) };
};

type Two = readonly [number, number];

// A calibration is less precise than five digits.
const rounded = (value: number): number => Number(value.toPrecision(6));

/** Pattern search: tries a step each way on both axes, and halves the steps when none is better. */
const descend = (loss: (at: Two) => number, start: Two, steps: Two): Two => {
  let at = start;
  let best = loss(at);
  let [dx, dy] = steps;
  for (let round = 0; round < 300 && Math.abs(dx) > 1e-6 * Math.abs(steps[0]); round++) {
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
