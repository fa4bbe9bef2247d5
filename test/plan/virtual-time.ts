import type { EnginePorts } from '../../shared/plan/engine/ports.ts';

interface Timer {
  readonly due: number;
  readonly wake: () => void;
}

export interface VirtualTime extends Pick<EnginePorts, 'now' | 'sleep'> {
  /** How long each sleep that was not called off was meant to be, in the order they began. */
  readonly slept: readonly number[];
  /** From now on, time limits of five seconds and more never come. */
  hold(): void;
}

/** Time that jumps to the next wake-up whenever nothing else is left to do. */
export function virtualTime(start = Date.UTC(2026, 0, 1)): VirtualTime {
  let time = start;
  let ticking = false;
  const timers = new Set<Timer>();
  const slept: number[] = [];
  let horizon = Number.POSITIVE_INFINITY;
  const tick = (): void => {
    const soon = [...timers].filter(({ due }) => due - time < horizon);
    const next = soon.sort((a, b) => a.due - b.due)[0];
    ticking = next !== undefined;
    if (next === undefined) return;
    timers.delete(next);
    time = Math.max(time, next.due);
    next.wake();
    setImmediate(tick);
  };
  return {
    slept,
    hold: () => {
      horizon = 5000;
    },
    now: () => time,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        slept.push(milliseconds);
        const timer = { due: time + milliseconds, wake: resolve };
        timers.add(timer);
        signal.addEventListener('abort', () => {
          timers.delete(timer);
          reject(new Error('called off'));
        });
        if (!ticking) setImmediate(tick);
        ticking = true;
      }),
  };
}
