import type { Timers } from './ports.ts';

/** Resolves after a time. */
export const pause = ({ after }: Pick<Timers, 'after'>, milliseconds: number, ref = true): Promise<void> =>
  new Promise((resolve) => void after(milliseconds, resolve, ref));
