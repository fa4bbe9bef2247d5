export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const rootMeanSquare = (a: readonly number[], b: readonly number[]): number =>
  Math.sqrt(mean(a.map((value, i) => (value - (b[i] as number)) ** 2)));

/** Pearson's correlation; 0 if one side is constant. */
export const correlation = (a: readonly number[], b: readonly number[]): number => {
  const [centreA, centreB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [(a[i] as number) - centreA, (b[i] as number) - centreB];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
};

/** Spearman's rank correlation; ties share their mean rank. 0 if one side is constant. */
export const rankCorrelation = (a: readonly number[], b: readonly number[]): number => correlation(ranks(a), ranks(b));

const ranks = (values: readonly number[]): readonly number[] => {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const found = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]?.value === order[from]?.value) to++;
    for (let i = from; i < to; i++) found[order[i]?.at as number] = (from + to + 1) / 2;
    from = to;
  }
  return found;
};

const SAMPLES = 200;

/** The 95 % bootstrap interval of a statistic, resampling references with a fixed seed. */
export const bootstrap = <Row extends { readonly reference: string }>(
  rows: readonly Row[],
  statistic: (rows: readonly Row[]) => number,
): readonly [number, number] => {
  const byReference = Map.groupBy(rows, ({ reference }) => reference);
  const groups = [...byReference.values()];
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * groups.length);
  };
  const found = Array.from({ length: SAMPLES }, () => statistic(groups.flatMap(() => groups[next()] ?? [])));
  found.sort((a, b) => a - b);
  return [found[Math.floor(0.025 * SAMPLES)] as number, found[Math.ceil(0.975 * SAMPLES) - 1] as number];
};
