import type { Clock } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import { afterSpending, type Bucket, type Rate, refill, tooMany } from './token-bucket.ts';

/** What a key without a rate may send to one process; ordinary agents stay far below it. */
export const DEFAULT_RATE: Rate = { per_second: 500, burst: 2000 };

const RATE = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/;

/**
 * Reads `500/2000` (per second, burst), `500` (a burst of four seconds' worth) or `off`; undefined for anything else.
 */
export const readRate = (text: string): Rate | 'off' | undefined => {
  if (text === 'off') return text;
  const [, perSecond, burst] = RATE.exec(text) ?? [];
  const rate = Number(perSecond);
  if (perSecond === undefined || rate <= 0) return undefined;
  return { per_second: rate, burst: Math.max(1, burst === undefined ? Math.ceil(4 * rate) : Number(burst)) };
};

const MAX_BUCKETS = 10_000;

/** Limits keys that have no rate of their own, in the memory of this process: lookups must not cost a write. */
export const createDefaultLimit = (clock: Pick<Clock, 'now'>, rate: Rate) => {
  const buckets = new Map<string, Bucket>();
  const keep = (keyId: string, bucket: Bucket): void => {
    if (buckets.size >= MAX_BUCKETS && !buckets.has(keyId)) forgetFull(buckets, rate, clock.now());
    buckets.set(keyId, bucket);
  };
  return {
    take(actor: Actor): undefined {
      if (isOperator(actor)) return;
      const { tokens, at } = refill(buckets.get(actor.keyId), rate, clock.now());
      if (tokens < 1) throw tooMany(rate, (1 - tokens) / rate.per_second);
      keep(actor.keyId, { tokens: tokens - 1, at });
    },
    spend(actor: Actor, requests: number): void {
      if (isOperator(actor)) return;
      const { tokens, at } = refill(buckets.get(actor.keyId), rate, clock.now());
      keep(actor.keyId, { tokens: afterSpending(tokens, requests, rate), at });
    },
  };
};

/** Admins are not limited unless their key has a rate. */
const isOperator = ({ key, scopes }: Actor): boolean => key === undefined || scopes.has('admin');

const forgetFull = (buckets: Map<string, Bucket>, rate: Rate, now: number): void => {
  for (const [keyId, bucket] of buckets) if (refill(bucket, rate, now).tokens >= rate.burst) buckets.delete(keyId);
};
