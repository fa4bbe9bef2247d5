import { addScaled, descend, dot } from './descend.ts';
import { type Example, FEATURE_NAMES } from './ranking-examples.ts';

/** Learns ranking weights by a softmax over each query's candidates; each group has the same total weight. */
export const learnRanking = (groups: readonly (readonly Example[])[], start?: readonly number[]): readonly number[] => {
  const lists = groups.flatMap((group) => {
    const usable = group.filter(({ gold }) => gold.includes(true) && gold.includes(false));
    return usable.map(({ rows, gold }) => ({ rows: packed(rows), gold, share: 1 / usable.length }));
  });
  return descend(
    FEATURE_NAMES.length,
    (weights, gradient) => {
      for (const list of lists) addListLoss(list, weights, gradient);
    },
    slowly(start),
  );
};

/** Rows in one flat array, because dot products over them are most of the work. */
const packed = (rows: readonly (readonly number[])[]): Float64Array => Float64Array.from(rows.flat());

interface List {
  readonly rows: Float64Array;
  readonly gold: readonly boolean[];
  readonly share: number;
}

const addListLoss = ({ rows, gold, share }: List, weights: Float64Array, gradient: Float64Array): void => {
  const width = weights.length;
  const powers = new Float64Array(gold.length);
  let highest = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < gold.length; row++) {
    powers[row] = dot(rows, row * width, weights);
    highest = Math.max(highest, powers[row] ?? 0);
  }
  let [all, right] = [0, 0];
  for (let row = 0; row < gold.length; row++) {
    const power = Math.exp((powers[row] ?? 0) - highest);
    powers[row] = power;
    all += power;
    if (gold[row]) right += power;
  }
  for (let row = 0; row < gold.length; row++) {
    const power = powers[row] ?? 0;
    const error = share * (power / all - (gold[row] ? power / right : 0));
    addScaled(gradient, rows, row * width, error);
  }
};

export interface Judged {
  readonly row: readonly number[];
  readonly fits: boolean;
  readonly kind: string;
  /** The total weight of the example's kind, however many examples that has. */
  readonly weight: number;
}

/** Logistic regression of whether the best candidate fits: the weights of the log odds, the bias last. */
export const learnFitting = (judged: readonly Judged[], start?: readonly number[]): readonly number[] => {
  const sizes = Map.groupBy(judged, ({ kind }) => kind);
  const examples = judged.map(({ row, fits, kind, weight }) => ({
    row: packed([[...row, 1]]),
    fits,
    share: weight / (sizes.get(kind)?.length ?? 1),
  }));
  return descend(
    FEATURE_NAMES.length + 1,
    (weights, gradient) => {
      for (const { row, fits, share } of examples) {
        const error = 1 / (1 + Math.exp(-dot(row, 0, weights))) - (fits ? 1 : 0);
        addScaled(gradient, row, 0, share * error);
      }
    },
    slowly(start),
  );
};

/** A strong penalty keeps the weights near a given start, because few examples adjust them. */
const slowly = (start: readonly number[] | undefined) => ({
  rounds: 400,
  rate: 0.05,
  decay: start === undefined ? 2e-3 : 5e-2,
  start,
});
