import type { Clock } from './ports.ts';

export interface Stopwatch {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
}

/** Measures what a stretch of work took of the processor, on this thread. */
export const stopwatches = ({ now }: Pick<Clock, 'now'>) => ({
  startStopwatch: (): Stopwatch => ({ at: now(), cpu: process.threadCpuUsage() }),
  /**
   * Milliseconds of the processor, which a busy machine does not change as it does the clock's. Up to `short` the
   * clock's are as good, as they are never fewer, and reading them costs a ninth.
   */
  cpuMs({ at, cpu }: Stopwatch, short: number): number {
    const elapsedMs = now() - at;
    if (elapsedMs <= short) return elapsedMs;
    const { user, system } = process.threadCpuUsage(cpu);
    return (user + system) / 1000;
  },
});
