import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { HEARTBEAT_MS } from '../../shared/kernel/lease.ts';
import type { Timers } from '../../shared/kernel/ports.ts';
import type { EnginePorts } from '../../shared/plan/engine/ports.ts';

interface Timer {
  readonly due: number;
  readonly wake: () => void;
}

export interface VirtualTime extends Pick<EnginePorts, 'now' | 'sleep'> {
  /** How long each sleep that was not called off was meant to be, in the order they began. */
  readonly slept: readonly number[];
  /** Heartbeats: they come as time passes, and do not make it pass. */
  readonly timers: Timers;
  /** From now on, time limits of five seconds and more never come. */
  hold(): void;
}

/** Time that jumps to the next wake-up whenever nothing else is left to do. */
export function virtualTime(start = Date.UTC(2026, 0, 1)): VirtualTime {
  let time = start;
  let ticking = false;
  const timers = new Set<Timer>();
  const beats = new Set<{ due: number; readonly every: number; readonly work: () => void }>();
  const slept: number[] = [];
  let horizon = Number.POSITIVE_INFINITY;
  const tick = (): void => {
    const soon = [...timers].filter(({ due }) => due - time < horizon);
    const next = soon.sort((a, b) => a.due - b.due)[0];
    ticking = next !== undefined;
    if (next === undefined) return;
    const beat = [...beats].sort((a, b) => a.due - b.due)[0];
    if (beat && beat.due < next.due) {
      time = Math.max(time, beat.due);
      beat.due = time + beat.every;
      beat.work();
    } else {
      timers.delete(next);
      time = Math.max(time, next.due);
      next.wake();
    }
    setImmediate(tick);
  };
  return {
    timers: {
      ...systemTimers,
      every(milliseconds, work) {
        // What only looks at the table again and again is left out: here it would be all that happens.
        if (milliseconds < HEARTBEAT_MS) return () => {};
        const beat = { due: time + milliseconds, every: milliseconds, work };
        beats.add(beat);
        return () => void beats.delete(beat);
      },
    },
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
