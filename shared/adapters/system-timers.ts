import type { Timers } from '../kernel/ports.ts';

/** The machine's timers; none of them keeps a process from ending. */
export const systemTimers: Timers = {
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
