import type { Log } from '../../shared/kernel/ports.ts';

export interface DrainOptions {
  readonly log: Log;
  /** Receives signals: the process. */
  readonly signals: { once(name: 'SIGTERM' | 'SIGINT', listener: () => void): unknown };
  /** Returns the notice that the machine will be reclaimed, or undefined. */
  readonly spotNotice: () => Promise<string | undefined>;
  readonly everyMs?: number;
}

export interface Drain {
  readonly signal: AbortSignal;
  stop(): void;
}

// Spot notices come two minutes before the end.
const EVERY_MS = 5000;

/** Aborts when the machine will be reclaimed: on SIGTERM, or on a Spot notice, which comes earlier. */
export const watchDrain = ({ log, signals, spotNotice, everyMs = EVERY_MS }: DrainOptions): Drain => {
  const controller = new AbortController();
  const drain = (why: string): void => {
    if (controller.signal.aborted) return;
    log.warn('draining', { why });
    clearInterval(timer);
    controller.abort(new Error(why));
  };
  const look = async (): Promise<void> => {
    const notice = await spotNotice().catch(() => undefined);
    if (notice !== undefined) drain(`the machine is taken away: ${notice}`);
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  for (const name of ['SIGTERM', 'SIGINT'] as const) signals.once(name, () => drain(name));
  void look();
  return { signal: controller.signal, stop: () => clearInterval(timer) };
};
