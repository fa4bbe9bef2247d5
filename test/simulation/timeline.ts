import type { Timers } from '../../shared/kernel/ports.ts';

/** One process on a timeline: its timers come only while it is awake. */
export interface Awake {
  readonly isAwake: () => boolean;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly owner: Awake;
  readonly work: () => void;
}

/** Time that moves only when nothing else can happen, or when it is told to. */
export interface Timeline {
  readonly now: () => number;
  /** Lets so much time pass at once, as for somebody who was asleep; what is due comes after it. */
  skip(milliseconds: number): void;
  timersOf(owner: Awake): Timers;
  /** Waits for an operation of a store, which takes its time outside. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Lets time pass until the work is done; throws where it waits for something that never happens. */
  drive<T>(work: Promise<T>): Promise<T>;
}

/** The recorder gathers for eight turns; whoever does nothing for longer waits for time to pass. */
const QUIET_TURNS = 12;
/** A schedule takes no longer, leases and reservations included. */
const LONGEST_MS = 4 * 3_600_000;

export const createTimeline = (start: number): Timeline => {
  const timers = new Set<Timer>();
  let [time, order, operations, underway] = [start, 0, 0, 0];

  const add = (owner: Awake, milliseconds: number, work: () => void): (() => void) => {
    const timer: Timer = { due: time + Math.max(1, milliseconds), order: order++, owner, work };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.owner.isAwake() && (!first || isBefore(timer, first))) first = timer;
    return first;
  };
  /** Whether no operation is under way, and none began for some turns. */
  const isQuiet = async (): Promise<boolean> => {
    const seen = operations;
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (operations !== seen || underway > 0) return false;
    }
    return true;
  };
  return {
    now: () => time,
    skip(milliseconds) {
      time += milliseconds;
    },
    timersOf: (owner) => ({
      after: (milliseconds, work) => add(owner, milliseconds, work),
      every(milliseconds, work) {
        let stop = (): void => {};
        const again = (): void => {
          stop = add(owner, milliseconds, again);
          work();
        };
        stop = add(owner, milliseconds, again);
        return () => stop();
      },
    }),
    async during(work) {
      operations++;
      underway++;
      try {
        return await work();
      } finally {
        underway--;
      }
    },
    async drive(work) {
      const state = { isDone: false };
      const done = work.finally(() => {
        state.isDone = true;
      });
      done.catch(() => {});
      for (const end = time + LONGEST_MS; !state.isDone; ) {
        if (!(await isQuiet()) || state.isDone) continue;
        const timer = next();
        if (timer === undefined || timer.due > end) throw new Error('something waits for what never happens');
        timers.delete(timer);
        time = Math.max(time, timer.due);
        timer.work();
      }
      return done;
    },
  };
};

const isBefore = (one: Timer, other: Timer): boolean =>
  one.due < other.due || (one.due === other.due && one.order < other.order);
