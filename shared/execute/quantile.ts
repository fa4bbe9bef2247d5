/**
 * A quantile by the nearest-rank method; null of no values. Reorders them. Sorting would be most of a summary's time,
 * and only two ranks of each group are wanted.
 */
export const quantileOf = (values: Float64Array, share: number): number | null => {
  if (values.length === 0) return null;
  const rank = Math.max(0, Math.ceil(values.length * share) - 1);
  for (let [from, to] = [0, values.length - 1]; from < to; ) {
    const [below, above] = divide(values, from, to);
    if (rank <= below) to = below;
    else if (rank >= above) from = above;
    else break;
  }
  return values[rank] ?? null;
};

/** Puts smaller values before larger ones; from the end of the first to the start of the second all are equal. */
const divide = (values: Float64Array, from: number, to: number): readonly [number, number] => {
  const pivot = middleOf(values[from] as number, values[(from + to) >> 1] as number, values[to] as number);
  let [left, right] = [from, to];
  while (left <= right) {
    while ((values[left] as number) < pivot) left++;
    while ((values[right] as number) > pivot) right--;
    if (left > right) break;
    const value = values[left] as number;
    values[left++] = values[right] as number;
    values[right--] = value;
  }
  return [right, left];
};

const middleOf = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
