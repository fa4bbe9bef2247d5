import { Fault } from '../kernel/errors.ts';
import { bucketKey } from '../kernel/item-keys.ts';
import type { Clock, Table } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { type Actor, BucketItem } from '../model/key.ts';

/** Takes one request of a key's rate; no promise while this process has an allowance left. */
export type RateLimiter = (actor: Actor) => undefined | Promise<void>;

interface Rate {
  readonly per_second: number;
  readonly burst: number;
}

/**
 * A token bucket in the store, drawn from in handfuls: a process takes a tenth of a second's worth at a time, so
 * that a hot key costs ten writes a second and not one a request.
 */
export const createRateLimiter = (table: Table, clock: Pick<Clock, 'now'>): RateLimiter => {
  const allowances = new Map<string, { left: number; until: number }>();
  const drawing = new Map<string, Promise<void>>();

  const draw = async (keyId: string, rate: Rate): Promise<void> => {
    const now = clock.now();
    const granted = await takeTokens(table, keyId, rate, now);
    if (allowances.size > 10_000) allowances.clear();
    // What is not used soon is let go, so that another process is not starved by it.
    allowances.set(keyId, { left: granted, until: now + 1000 });
  };

  const take = (keyId: string): boolean => {
    const allowance = allowances.get(keyId);
    if (!allowance || allowance.left < 1 || allowance.until < clock.now()) return false;
    allowance.left--;
    return true;
  };

  const wait = async (keyId: string, rate: Rate): Promise<void> => {
    for (;;) {
      const underway = drawing.get(keyId);
      if (underway) await underway;
      else {
        const drawn = draw(keyId, rate).finally(() => drawing.delete(keyId));
        drawing.set(keyId, drawn);
        await drawn;
        if ((allowances.get(keyId)?.left ?? 0) < 1) throw tooMany(rate);
      }
      if (take(keyId)) return;
    }
  };

  return ({ keyId, key }) => {
    const rate = key?.rate;
    if (rate === undefined || take(keyId)) return undefined;
    return wait(keyId, rate);
  };
};

const takeTokens = (table: Table, keyId: string, { per_second, burst }: Rate, now: number): Promise<number> => {
  const key = bucketKey(keyId);
  const handful = Math.min(burst, Math.max(1, Math.floor(per_second / 10)));
  return table.change([key], ([item]) => {
    const { tokens, at } = item ? read(item, BucketItem) : { tokens: burst, at: now };
    const filled = Math.min(burst, tokens + (Math.max(0, now - at) * per_second) / 1000);
    const granted = Math.min(handful, Math.floor(filled));
    if (granted < 1) return { writes: [], result: 0 };
    const left = { tokens: filled - granted, at: Math.max(now, at) };
    return { writes: [put(key, BucketItem, left, Math.floor(now / 1000) + 3600)], result: granted };
  });
};

const tooMany = ({ per_second, burst }: Rate): Fault =>
  new Fault('RateLimited', `this key may send ${per_second} requests a second, ${burst} at once; slow down`, {
    rate: { per_second, burst },
    retry_after_seconds: 1 / per_second,
  });
