import type { Clock } from './ports.ts';

export interface Stopwatch {
  readonly at: number;
  readonly cpu: NodeJS.CpuUsage;
}

/** Measures CPU time on this thread. */
export const stopwatches = ({ now }: Pick<Clock, 'now'>) => ({
  startStopwatch: (): Stopwatch => ({ at: now(), cpu: process.threadCpuUsage() }),
  /**
   * CPU time in milliseconds, which other processes do not affect. Up to `short` it is the elapsed time instead, which
   * is never less and costs a ninth to read.
   */
  cpuMs({ at, cpu }: Stopwatch, short: number): number {
    const elapsedMs = now() - at;
    if (elapsedMs <= short) return elapsedMs;
    const { user, system } = process.threadCpuUsage(cpu);
    return (user + system) / 1000;
  },
});
