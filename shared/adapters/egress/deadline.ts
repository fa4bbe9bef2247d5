import { Fault } from '../../kernel/errors.ts';
import type { FetchLimits } from '../../kernel/safe-fetch.ts';

/** The end of one request, by time or by whoever asked for it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The head of the answer is there: an answer without a limit of time may go on. */
  answered(): void;
  end(): void;
  /** What to say of an error: that the time was over, when that is why. */
  faultOf(error: unknown): unknown;
}

/** A stream that may stay open has so long until its first byte. */
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
