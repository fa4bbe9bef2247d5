import { bucketKey } from '../kernel/item-keys.ts';
import type { Clock, Item, Table } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { type Actor, BucketItem } from '../model/key.ts';
import { createDefaultLimit } from './default-rate.ts';
import { afterSpending, type Bucket, type Rate, refill, tooMany } from './token-bucket.ts';

export interface RateLimiter {
  /** Takes one request from a key's rate; synchronous while this process has an allowance left. */
  (actor: Actor): undefined | Promise<void>;
  /**
   * Charges requests afterwards, for work that cost more than was known on admission; the key may then have to wait.
   */
  spend(actor: Actor, requests: number): Promise<void>;
}

/**
 * A token bucket in the store, drawn from in batches: a process takes a tenth of a second's worth at a time, so a busy
 * key costs ten writes a second, not one per request. Keys without a rate have the default one, which each process
 * counts in memory.
 */
export const createRateLimiter = (
  table: Table,
  clock: Pick<Clock, 'now'>,
  defaultRate?: Rate | undefined,
): RateLimiter => {
  const unstored = defaultRate && createDefaultLimit(clock, defaultRate);
  const allowances = new Map<string, { left: number; until: number; waitSeconds: number }>();
  const drawing = new Map<string, Promise<void>>();

  const draw = async (keyId: string, rate: Rate): Promise<void> => {
    const now = clock.now();
    const { granted, waitSeconds } = await takeTokens(table, keyId, rate, now);
    if (allowances.size > 10_000) allowances.clear();
    // An unused allowance expires soon, so that it does not starve another process.
    allowances.set(keyId, { left: granted, until: now + 1000, waitSeconds });
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
        const { left, waitSeconds } = allowances.get(keyId) ?? { left: 0, waitSeconds: 1 / rate.per_second };
        if (left < 1) throw tooMany(rate, waitSeconds);
      }
      if (take(keyId)) return;
    }
  };

  const limit = (actor: Actor): undefined | Promise<void> => {
    const { keyId, key } = actor;
    const rate = key?.rate;
    if (rate === undefined) return unstored?.take(actor);
    return take(keyId) ? undefined : wait(keyId, rate);
  };
  const spend = async (actor: Actor, requests: number): Promise<void> => {
    const { keyId, key } = actor;
    if (requests <= 0) return;
    if (key?.rate === undefined) return unstored?.spend(actor, requests);
    allowances.delete(keyId);
    await owe(table, keyId, key.rate, requests, clock.now());
  };
  return Object.assign(limit, { spend });
};

const owe = (table: Table, keyId: string, rate: Rate, requests: number, now: number): Promise<undefined> => {
  const key = bucketKey(keyId);
  return table.change([key], ([item]) => {
    const { tokens, at } = fill(item, rate, now);
    const left = { tokens: afterSpending(tokens, requests, rate), at };
    return { writes: [put(key, BucketItem, left, expiryOf(left, rate))], result: undefined };
  });
};

/** The tokens in a bucket now. */
const fill = (item: Item | undefined, rate: Rate, now: number): Bucket =>
  refill(item && read(item, BucketItem), rate, now);

/** An expired bucket reads as full, so it expires when it would be, and not before an hour of rest. */
const expiryOf = ({ tokens, at }: Bucket, { per_second, burst }: Rate): number =>
  Math.ceil(at / 1000 + Math.max(3600, (burst - tokens) / per_second));

interface Taken {
  readonly granted: number;
  /** Seconds until the next token. */
  readonly waitSeconds: number;
}

const takeTokens = (table: Table, keyId: string, rate: Rate, now: number): Promise<Taken> => {
  const key = bucketKey(keyId);
  const handful = Math.min(rate.burst, Math.max(1, Math.floor(rate.per_second / 10)));
  return table.change([key], ([item]) => {
    const { tokens, at } = fill(item, rate, now);
    const granted = Math.min(handful, Math.floor(tokens));
    if (granted < 1) return { writes: [], result: { granted: 0, waitSeconds: (1 - tokens) / rate.per_second } };
    const left = { tokens: tokens - granted, at };
    const writes = [put(key, BucketItem, left, expiryOf(left, rate))];
    return { writes, result: { granted, waitSeconds: 0 } };
  });
};
