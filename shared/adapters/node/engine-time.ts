import type { EnginePorts } from '../../plan/engine/ports.ts';

/** A timer waits no longer than this, about 24 days. */
const LONGEST_MS = 2_147_483_647;

/** The machine's timers and chance for the plan engine. */
export const engineTime = (): Pick<EnginePorts, 'sleep' | 'random'> => ({
  random: Math.random,
  sleep: async (milliseconds, signal) => {
    for (let left = milliseconds; left > 0; left -= LONGEST_MS) await sleepOnce(Math.min(left, LONGEST_MS), signal);
  },
});

// The timers of node:timers/promises make an error with a stack for each wait that is called off.
const sleepOnce = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
