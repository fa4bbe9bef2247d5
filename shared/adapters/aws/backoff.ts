import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../kernel/errors.ts';

const attempts = 40;
const longestPauseMs = 400;

/** Retries with exponential backoff and jitter. */
export async function repeatedly<T>(
  problem: string,
  attempt: () => Promise<{ readonly done: T } | undefined>,
  pause: (ms: number) => Promise<unknown> = setTimeout,
): Promise<T> {
  for (let n = 0; n < attempts; n++) {
    const outcome = await attempt();
    if (outcome) return outcome.done;
    await pause(Math.random() * Math.min(longestPauseMs, 8 * 2 ** n));
  }
  throw new Fault('Unavailable', `${problem}, after ${attempts} attempts; try again`, { attempts });
}
