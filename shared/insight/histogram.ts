import * as z from 'zod';

/** Counts per bucket; each bucket is 2 % wider than the one before, so that a quantile is off by 1 % at most. */
export const Histogram = z.record(z.string(), z.number());
export type Histogram = Readonly<z.infer<typeof Histogram>>;

const GROWTH = Math.log(1.02);

/** Adds values, each of at least 1. */
export const addValues = (histogram: Histogram, values: readonly number[]): Histogram => {
  const counts: Record<string, number> = { ...histogram };
  for (const value of values) {
    const bucket = bucketIndex(value);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
};

/** Merges two histograms: exactly the histogram of all their values. */
export const mergeHistograms = (a: Histogram, b: Histogram): Histogram => {
  const merged: Record<string, number> = { ...a };
  for (const [bucket, count] of Object.entries(b)) merged[bucket] = (merged[bucket] ?? 0) + count;
  return merged;
};

/** The value that this share of all values does not exceed; undefined when there are none. */
export const valueAtQuantile = (histogram: Histogram, share: number): number | undefined => {
  const buckets = Object.entries(histogram)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * total));
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (seen >= rank) return bucketMiddle(bucket);
  }
  return undefined;
};

const bucketIndex = (value: number): string => String(Math.ceil(Math.log(Math.max(1, value)) / GROWTH - 1e-9));

const bucketMiddle = (bucket: number): number => (bucket === 0 ? 1 : Math.exp((bucket - 0.5) * GROWTH));
