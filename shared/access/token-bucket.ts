import { Fault } from '../kernel/errors.ts';

export interface Rate {
  readonly per_second: number;
  readonly burst: number;
}

/** The requests left in a key's bucket at a time. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** The bucket refilled up to now; a new one is full. */
export const refill = (bucket: Bucket | undefined, { per_second, burst }: Rate, now: number): Bucket => {
  const { tokens, at } = bucket ?? { tokens: burst, at: now };
  return {
    tokens: Math.min(burst, tokens + (Math.max(0, now - at) * per_second) / 1000),
    at: Math.max(now, at),
  };
};

/** The largest debt of a key, in seconds of its rate. */
const MAX_OWED_SECONDS = 60;

/** The tokens left after work that cost more than was known on admission. */
export const afterSpending = (tokens: number, requests: number, { per_second }: Rate): number =>
  Math.max(tokens - requests, -MAX_OWED_SECONDS * per_second);

export const tooMany = ({ per_second, burst }: Rate, waitSeconds: number): Fault =>
  new Fault('RateLimited', `this key may send ${per_second} requests a second, ${burst} at once; slow down`, {
    rate: { per_second, burst },
    retry_after_seconds: waitSeconds,
  });
