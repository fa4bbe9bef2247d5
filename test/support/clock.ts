import { ulidTime } from '../../shared/kernel/ids.ts';
import type { Clock } from '../../shared/kernel/ports.ts';

/** A clock that stands still until it is moved, with ids derived from it. */
export const standingClock = (start = Date.parse('2026-11-05T12:00:00Z')): Clock & { move(ms: number): void } => {
  let now = start;
  let ids = 0;
  return {
    now: () => now,
    newId: () => ulidTime(now) + String(ids++).padStart(16, '0'),
    move: (ms) => {
      now += ms;
    },
  };
};
