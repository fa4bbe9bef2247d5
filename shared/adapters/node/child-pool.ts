import { Fault } from '../../kernel/errors.ts';
import { createFairQueue } from '../../kernel/fair-queue.ts';
import type { ResourceUsage } from '../../kernel/ports.ts';
import { type Child, startChild } from './child.ts';

/** What a process answers to a job: the output as JSON text, or what was thrown. */
export type Answer =
  | { readonly text: string; readonly usage: ResourceUsage }
  | { readonly thrown: Thrown; readonly usage: ResourceUsage };

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/** Who asks for a job, and how to hear of it. */
export interface JobCaller {
  readonly tenant: string;
  readonly signal: AbortSignal;
  /** Told when the job leaves the queue. */
  readonly started?: () => void;
  /** What the job used, told before anyone hears of its end. */
  readonly spent: (usage: ResourceUsage) => void;
}

export interface ChildPool {
  /**
   * Runs a job in a process apart, when it is its tenant's turn. When the signal aborts, that process is ended,
   * whatever it is doing. Refuses with `RateLimited` when too many jobs of the tenant wait, or it waited too long.
   */
  run(job: object, caller: JobCaller): Promise<Answer>;
  close(): void;
}

export interface ChildPoolOptions {
  /** A module that says `{ready: true}` once it is loaded, and answers each message with an `Answer`. */
  readonly file: URL;
  readonly size?: number;
  readonly memoryMb?: number;
  /** How many jobs of one tenant may wait. */
  readonly mostWaiting?: number;
  readonly longestWaitMs?: number;
}

interface Job extends JobCaller {
  readonly message: object;
  readonly begin: () => void;
  readonly done: (answer: Answer) => void;
  readonly failed: (reason: Error) => void;
  startedAt: number;
}

interface Slot {
  readonly child: Child;
  isReady: boolean;
  job: Job | undefined;
  /** Whether its job goes on for so long that others may come meanwhile. */
  isLong: boolean;
  /** The tenant whose job ended the process that this one replaces. */
  owedBy: string | undefined;
}

/** A job that goes on for longer is not over soon: a process is made ready for whoever comes next. */
const LONG_MS = 50;

/**
 * Processes that are started when needed, do one job at a time and never keep this one alive. While a job goes on one
 * more is ready than there are jobs: one takes a hundred times as long to start as a small job takes in it.
 */
export const createChildPool = (options: ChildPoolOptions): ChildPool => {
  const { file, size = 2, memoryMb = 256, mostWaiting = 200, longestWaitMs = 30_000 } = options;
  // One process is always left to the others.
  const mostRunning = Math.max(1, size - 1);
  const slots = new Set<Slot>();
  const queue = createFairQueue<Job>(mostWaiting);
  let [isClosed, isBroken] = [false, false];

  const start = (owedBy?: string): void => {
    const child = startChild({
      file,
      memoryMb,
      isTrusted: false,
      onMessage: (answer: Answer | { readonly ready: true }) => {
        if ('ready' in answer) {
          Object.assign(slot, { isReady: true, owedBy: undefined });
          isBroken = false;
        } else finish(slot)?.done(answer);
        assign();
      },
      onEnd: (reason) => end(slot, reason),
    });
    const slot: Slot = { child, isReady: false, job: undefined, isLong: false, owedBy };
    slots.add(slot);
    // Jobs that wait for it have a time limit, which keeps this process alive.
    child.hold(false);
  };
  const finish = (slot: Slot): Job | undefined => {
    const { job } = slot;
    Object.assign(slot, { job: undefined, isLong: false });
    slot.child.hold(false);
    return job;
  };
  const end = (slot: Slot, reason: Error): void => {
    slots.delete(slot);
    const job = finish(slot);
    job?.failed(reason);
    if (!slot.isReady) {
      // Nor would the next one start: whoever waits for it hears why.
      isBroken = true;
      queue.take(() => true)?.failed(reason);
    }
    // Its tenant waits for the new one: the one that is ready is left to the others.
    if (job && !isClosed) start(job.tenant);
    assign();
  };

  const running = (tenant: string): number =>
    [...slots].filter(({ job, owedBy }) => job?.tenant === tenant || owedBy === tenant).length;
  const mayRun = (tenant: string): number => mostRunning - running(tenant);
  const assign = (): void => {
    if (isClosed) return;
    for (const slot of slots) {
      if (!slot.isReady || slot.job) continue;
      const job = queue.take((tenant) => mayRun(tenant) > 0);
      if (job) begin(slot, job);
    }
    const free = [...slots].filter(({ job, owedBy }) => !job && owedBy === undefined).length;
    const spare = !isBroken && [...slots].some(({ isLong }) => isLong) ? 1 : 0;
    for (let missing = queue.ready(mayRun) + spare - free; missing > 0 && slots.size < size; missing--) start();
  };
  const begin = (slot: Slot, job: Job): void => {
    slot.job = job;
    slot.child.hold(true);
    setTimeout(() => {
      if (slot.job !== job) return;
      slot.isLong = true;
      assign();
    }, LONG_MS).unref();
    job.begin();
    slot.child.send(job.message);
  };
  const stop = (job: Job): void => {
    if (queue.remove(job.tenant, job)) return;
    const slot = [...slots].find((one) => one.job === job);
    if (!slot) return;
    // It can no longer say what it used; a job that had to be ended was busy all the time.
    job.spent({ cpuMs: performance.now() - job.startedAt, memoryDeltaBytes: 0, memoryPeakBytes: 0 });
    slot.child.kill();
  };

  return {
    run: (message, caller) =>
      new Promise((resolve, failed) => {
        const { tenant, signal } = caller;
        if (signal.aborted) return failed(signal.reason);
        const late = setTimeout(() => give(tooBusy(queue.waiting(tenant), longestWaitMs)), longestWaitMs);
        const job: Job = {
          ...caller,
          message,
          begin() {
            clearTimeout(late);
            job.startedAt = performance.now();
            caller.started?.();
          },
          done(answer) {
            caller.spent(answer.usage);
            resolve(answer);
          },
          failed(reason) {
            clearTimeout(late);
            failed(reason);
          },
          startedAt: 0,
        };
        const give = (reason: Error): void => {
          clearTimeout(late);
          stop(job);
          failed(reason);
        };
        signal.addEventListener('abort', () => give(signal.reason));
        if (!queue.push(tenant, job)) return give(tooBusy(queue.waiting(tenant), longestWaitMs));
        return assign();
      }),
    close: () => {
      isClosed = true;
      for (let job = queue.take(() => true); job; job = queue.take(() => true))
        job.failed(new Fault('Unavailable', 'the server stops; try again'));
      for (const { child } of slots) child.kill();
    },
  };
};

const tooBusy = (waiting: number, longestWaitMs: number): Fault =>
  new Fault(
    'RateLimited',
    `all processes are busy: this tenant waits for ${waiting} of its calls, each for at most ${longestWaitMs / 1000} s; send fewer at once, or later`,
    { waiting, retry_after_seconds: Math.max(1, Math.ceil(waiting / 20)) },
  );
