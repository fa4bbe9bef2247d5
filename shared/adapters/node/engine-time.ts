import type { Timers } from '../../kernel/ports.ts';
import type { EnginePorts } from '../../plan/engine/ports.ts';
import { systemTimers } from '../system-timers.ts';

/** A timer waits no longer than this, about 24 days. */
const LONGEST_MS = 2_147_483_647;

/** Timers and chance for the plan engine. */
export const engineTime = (
  timers: Pick<Timers, 'after'> = systemTimers,
  random = Math.random,
): Pick<EnginePorts, 'sleep' | 'random'> => ({
  random,
  sleep: async (milliseconds, signal) => {
    for (let left = milliseconds; left > 0; left -= LONGEST_MS)
      await sleepOnce(timers, Math.min(left, LONGEST_MS), signal);
  },
});

// The timers of node:timers/promises make an error with a stack for each wait that is called off.
const sleepOnce = (timers: Pick<Timers, 'after'>, milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      stopTimer();
      reject(signal.reason);
    };
    const stopTimer = timers.after(milliseconds, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
