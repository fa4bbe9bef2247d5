import { addScaled, descend, dot } from './descend.ts';

/** A labelled example: its features, whether it was right, and its weight. */
export interface Judged {
  readonly features: readonly (readonly [string, number])[];
  readonly right: boolean;
  readonly weight: number;
}

/** Weighted logistic regression on standardised features, with an L2 penalty on all weights but the bias. */
export const fitLogistic = (judged: readonly Judged[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const [name] of judged.flatMap(({ features }) => features)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].flatMap(([name, count]) => (count >= SEEN && name !== BIAS ? [name] : []));
  const total = judged.reduce((sum, { weight }) => sum + weight, 0);
  const plain = judged.map(({ features }) => {
    const values = new Map(features);
    return Float64Array.from(names, (name) => values.get(name) ?? 0);
  });
  const shares = judged.map(({ weight }) => weight / total);
  const means = weightedMeans(plain, shares, (value) => value);
  const squares = weightedMeans(plain, shares, (value, at) => (value - (means[at] ?? 0)) ** 2);
  const widths = squares.map((square) => Math.sqrt(square) || 1);
  const rows = plain.map((row) =>
    Float64Array.from([...row.map((value, at) => (value - (means[at] ?? 0)) / (widths[at] ?? 1)), 1]),
  );
  const scaled = descend(
    names.length + 1,
    (current, gradient) => {
      // `descend` penalises every weight; the bias is exempt.
      gradient[names.length] = 0;
      for (const [at, row] of rows.entries())
        addScaled(
          gradient,
          row,
          0,
          (shares[at] ?? 0) * (1 / (1 + Math.exp(-dot(row, 0, current))) - (judged[at]?.right ? 1 : 0)),
        );
    },
    { rounds: 400, rate: 0.02, decay: DECAY },
  );
  const weights = names.map((name, at) => [name, (scaled[at] ?? 0) / (widths[at] ?? 1)] as const);
  const shift = weights.reduce((sum, [, weight], at) => sum + weight * (means[at] ?? 0), 0);
  return new Map([...weights, [BIAS, (scaled[names.length] ?? 0) - shift]]);
};

const weightedMeans = (
  rows: readonly Float64Array[],
  shares: readonly number[],
  of: (value: number, at: number) => number,
): Float64Array => {
  const means = new Float64Array(rows[0]?.length ?? 0);
  for (const [row, values] of rows.entries())
    for (const [at, value] of values.entries()) means[at] = (means[at] ?? 0) + (shares[row] ?? 0) * of(value, at);
  return means;
};

const BIAS = 'bias';
/** The L2 penalty; chosen on held-out tools, where 0.1 to 0.4 did equally well. */
const DECAY = 0.25;
/** Features that occur less often than this are ignored. */
const SEEN = 16;

/** Platt scaling: the slope and shift that calibrate log odds, fitted on out-of-fold predictions. */
export const calibration = (judged: readonly Judged[], odds: readonly number[]): readonly [number, number] => {
  const total = judged.reduce((sum, { weight }) => sum + weight, 0);
  const rows = odds.map((each) => Float64Array.of(each, 1));
  const [slope = 1, shift = 0] = descend(
    2,
    (current, gradient) => {
      for (const [at, row] of rows.entries()) {
        const error = 1 / (1 + Math.exp(-dot(row, 0, current))) - (judged[at]?.right ? 1 : 0);
        addScaled(gradient, row, 0, ((judged[at]?.weight ?? 0) / total) * error);
      }
    },
    { rounds: 400, rate: 0.02, decay: 0, start: [1, 0] },
  );
  return [slope, shift];
};
