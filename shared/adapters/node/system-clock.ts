import { randomFillSync } from 'node:crypto';
import type { Clock } from '../../ports.ts';
import { writeUlidChance, writeUlidTime } from '../../ulid.ts';

const CHANCE_BYTES = 16;

/** The machine's clock and ids. Chance is drawn for many ids at once: one by one it costs more than a whole call. */
export const systemClock = (): Clock => {
  const pool = new Uint8Array(CHANCE_BYTES * 256);
  let used = pool.length;
  let lastTime = -1;
  let lastText = '';
  const timeText = (now: number): string => {
    if (now !== lastTime) {
      lastTime = now;
      lastText = writeUlidTime(now);
    }
    return lastText;
  };
  return {
    now: Date.now,
    newId: () => {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      const chance = writeUlidChance(pool.subarray(used, used + CHANCE_BYTES));
      used += CHANCE_BYTES;
      return timeText(Date.now()) + chance;
    },
  };
};
