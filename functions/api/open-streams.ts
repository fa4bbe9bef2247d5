import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { Fault } from '../../shared/kernel/errors.ts';
import type { Actor } from '../../shared/model/key.ts';
import type { Api, ApiContext } from './env.ts';

/** Each open stream reads the table several times a second. */
const MAX_OF_TENANT = 50;
const RETRY_SECONDS = 30;

/** Counts the streams that a tenant has open at this server; returns the function that ends one. */
export type HoldStream = (actor: Actor) => () => void;

/** Refuses further streams of a tenant at the limit, so that one tenant's streams do not slow others down. */
export const createStreamLimit = (): HoldStream => {
  const open = new Map<string, number>();
  return ({ tenant }) => {
    const count = open.get(tenant) ?? 0;
    if (count >= MAX_OF_TENANT)
      throw new Fault(
        'RateLimited',
        `${count} streams of this tenant are open already, which is the limit; close one, or ask for JSON`,
        { limit: MAX_OF_TENANT, retry_after_seconds: RETRY_SECONDS },
      );
    open.set(tenant, count + 1);
    return () => {
      const left = (open.get(tenant) ?? 1) - 1;
      if (left > 0) open.set(tenant, left);
      else open.delete(tenant);
    };
  };
};

/** Answers with server-sent events until the work ends, counted as one of the tenant's streams. */
export const streamEvents = (
  c: ApiContext,
  { holdStream }: Pick<Api, 'holdStream'>,
  actor: Actor,
  work: (out: SSEStreamingApi) => Promise<void>,
): Response => {
  const release = holdStream(actor);
  // Buffering proxies would delay the events.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, (out) => work(out).finally(release));
};
