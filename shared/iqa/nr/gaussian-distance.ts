type Matrix = readonly (readonly number[])[];

/** sqrt(d' S^-1 d) of a positive definite S, by Cholesky factors and forward substitution. */
export const distanceFrom = (difference: readonly number[], covariance: Matrix): number => {
  const size = difference.length;
  const lower = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  const solved: number[] = [];
  for (let i = 0; i < size; i++) {
    const row = lower[i] as number[];
    for (let j = 0; j <= i; j++) {
      const other = lower[j] as number[];
      let sum = (covariance[i] as readonly number[])[j] as number;
      for (let k = 0; k < j; k++) sum -= (row[k] as number) * (other[k] as number);
      row[j] = i === j ? Math.sqrt(sum) : sum / (other[j] as number);
    }
    let rest = difference[i] as number;
    for (let k = 0; k < i; k++) rest -= (row[k] as number) * (solved[k] as number);
    solved.push(rest / (row[i] as number));
  }
  return Math.hypot(...solved);
};
