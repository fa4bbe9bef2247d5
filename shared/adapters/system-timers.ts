import type { Timers } from '../kernel/ports.ts';

/** The machine's timers; what is done again and again keeps no process from ending. */
export const systemTimers: Timers = {
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
  after(milliseconds, work, ref = true) {
    const timer = setTimeout(work, milliseconds);
    if (!ref) timer.unref();
    return () => clearTimeout(timer);
  },
};
