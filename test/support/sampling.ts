/**
 * Controls the long suites: `npm test` runs a sample of the schedules, fuzz, probes and matrices, `npm run test:all`
 * all of them.
 */
export const isWhole = process.env.ASSAY_TEST === 'all';

/** The number of tries: `few` in a sample, `all` in a whole run. */
export const tries = (few: number, all: number): number => (isWhole ? all : few);

/** Every item in a whole run; in a sample, `few` evenly spaced ones, including the first and the last. */
export const sampleOf = <T>(items: readonly T[], few: number): readonly T[] => {
  if (isWhole || items.length <= few) return items;
  const step = (items.length - 1) / Math.max(1, few - 1);
  return Array.from({ length: few }, (_, index) => items[Math.round(index * step)] as T);
};
