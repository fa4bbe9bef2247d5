import { Fault } from '../../kernel/errors.ts';
import type { FetchLimits } from '../../kernel/safe-fetch.ts';

/** Ends a request on timeout, or when its caller aborts it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The headers have arrived: a response without a timeout may now take any time. */
  answered(): void;
  end(): void;
  /** The error to report: the timeout, if that is the cause. */
  faultOf(error: unknown): unknown;
}

/** The timeout for the headers of a stream that may stay open. */
const HEAD_MS = 30_000;

export const deadlineOf = (limits: FetchLimits, outer: AbortSignal | null | undefined, host: string): Deadline => {
  const controller = new AbortController();
  const milliseconds = limits.timeoutMs ?? HEAD_MS;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort(late());
  }, milliseconds);
  const late = (): Fault =>
    new Fault('Unavailable', `${host} did not answer within ${milliseconds} ms`, { host, limit_ms: milliseconds });
  const stop = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    answered: () => {
      if (limits.timeoutMs === undefined) clearTimeout(timer);
    },
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', stop);
    },
    faultOf: (error) => {
      if (isLate) return late();
      return outer?.aborted ? (outer.reason ?? error) : error;
    },
  };
};
