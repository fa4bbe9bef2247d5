import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of the young generation, both halves: the most that V8 took before it looked at the machine's memory. */
const YOUNG_BYTES = 32 * 2 ** 20;
/** How much more than what was alive the old generation may hold until it is collected. */
const OLD_PERCENT = 50;

/**
 * Bounds what a server's heap holds beside what is alive in it. V8 sizes it by the memory of the machine: with 24 GB the
 * young generation grows to 128 MB and the old one to four times what is alive, after minutes or hours of traffic. Node
 * has options for that, but whoever starts the process would have to give them.
 */
export const boundHeap = (): (() => void) => {
  setFlagsFromString(`--heap-growing-percent=${OLD_PERCENT}`);
  // The young generation grows by one step in a collection.
  const collections = new PerformanceObserver(boundYoung);
  collections.observe({ entryTypes: ['gc'] });
  boundYoung();
  return () => collections.disconnect();
};

/** An idle heap shrinks, and may grow again then. */
const boundYoung = (): void => {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  setFlagsFromString(`--semi-space-growth-factor=${(young?.space_size ?? 0) < YOUNG_BYTES ? 2 : 1}`);
};
