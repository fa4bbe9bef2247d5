import type { Clock, Gauge } from '../kernel/ports.ts';

/** Measures elapsed time only; for processes without a better gauge. */
export const clockGauge = (clock: Pick<Clock, 'now'>): Gauge => ({
  async measure(work) {
    const started = clock.now();
    const [result] = await Promise.allSettled([attempt(work)]);
    const usage = { cpuMs: 0, memoryDeltaBytes: 0, memoryPeakBytes: 0 };
    return { result, durationMs: clock.now() - started, usage };
  },
});

// A synchronous throw must become a rejection.
const attempt = async <T>(work: () => Promise<T>): Promise<T> => work();
