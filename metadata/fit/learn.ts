import { type Example, FEATURE_NAMES } from './ranking-examples.ts';

/** Weights under which the right candidates come first (a softmax over each query's candidates), benchmarks alike. */
export const learnRanking = (groups: readonly (readonly Example[])[], start?: readonly number[]): readonly number[] => {
  const usable = groups.map((group) => group.filter(({ gold }) => gold.includes(true) && gold.includes(false)));
  return descend(
    FEATURE_NAMES.length,
    (weights, gradient) => {
      for (const group of usable)
        for (const example of group) addListLoss(example, weights, gradient, 1 / group.length);
    },
    start,
  );
};

const addListLoss = ({ rows, gold }: Example, weights: Float64Array, gradient: Float64Array, share: number): void => {
  const scores = rows.map((row) => dot(row, weights));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, 0);
  const right = powers.reduce((sum, power, at) => sum + (gold[at] ? power : 0), 0);
  for (const [at, row] of rows.entries()) {
    const error = (powers[at] ?? 0) / all - (gold[at] ? (powers[at] ?? 0) / right : 0);
    for (const [column, value] of row.entries()) gradient[column] = (gradient[column] ?? 0) + share * error * value;
  }
};

export interface Judged {
  readonly row: readonly number[];
  readonly fits: boolean;
  readonly kind: string;
  /** What a whole kind counts, however many examples it has. */
  readonly weight: number;
}

/** Weights, the bias last, under which the sum is the log odds that the best candidate fits. */
export const learnFitting = (judged: readonly Judged[], start?: readonly number[]): readonly number[] => {
  const sizes = Map.groupBy(judged, ({ kind }) => kind);
  return descend(
    FEATURE_NAMES.length + 1,
    (weights, gradient) => {
      for (const { row, fits, kind, weight } of judged) {
        const full = [...row, 1];
        const error = 1 / (1 + Math.exp(-dot(full, weights))) - (fits ? 1 : 0);
        const share = weight / (sizes.get(kind)?.length ?? 1);
        for (const [at, value] of full.entries()) gradient[at] = (gradient[at] ?? 0) + share * error * value;
      }
    },
    start,
  );
};

const ROUNDS = 400;
const RATE = 0.05;
const DECAY = 2e-3;
const HELD = 5e-2;

/** Adam on the whole data, with the weights drawn a little to zero, or strongly to where they start. */
const descend = (
  size: number,
  addGradient: (weights: Float64Array, gradient: Float64Array) => void,
  start?: readonly number[],
): readonly number[] => {
  const origin = Float64Array.from({ length: size }, (_, at) => start?.[at] ?? 0);
  const decay = start === undefined ? DECAY : HELD;
  const weights = Float64Array.from(origin);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = weights.map((weight, at) => decay * (weight - (origin[at] ?? 0)));
    addGradient(weights, gradient);
    for (let at = 0; at < size; at++) {
      const slope = gradient[at] ?? 0;
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const step = (mean[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - RATE * step;
    }
  }
  return [...weights];
};

const dot = (row: readonly number[], weights: Float64Array): number =>
  row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
