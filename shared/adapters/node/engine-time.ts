import { setTimeout as wait } from 'node:timers/promises';
import type { EnginePorts } from '../../plan/engine/ports.ts';

/** A timer waits no longer than this, about 24 days. */
const LONGEST_MS = 2_147_483_647;

/** The machine's timers and chance for the plan engine. */
export const engineTime = (): Pick<EnginePorts, 'sleep' | 'random'> => ({
  random: Math.random,
  sleep: async (milliseconds, signal) => {
    for (let left = milliseconds; left > 0; left -= LONGEST_MS) {
      await wait(Math.min(left, LONGEST_MS), undefined, { signal });
    }
  },
});
