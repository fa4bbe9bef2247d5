import type { Timers } from '../kernel/ports.ts';

/** The system's timers; repeated ones do not keep the process alive. */
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
