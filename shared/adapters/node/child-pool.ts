import { Fault } from '../../kernel/errors.ts';
import { createFairQueue } from '../../kernel/fair-queue.ts';
import type { ResourceUsage } from '../../kernel/ports.ts';
import { type Child, startChild } from './child.ts';

/** The result of a job: the output as JSON text, or the error. */
export type Answer =
  | { readonly text: string; readonly usage: ResourceUsage }
  | { readonly thrown: Thrown; readonly usage: ResourceUsage };

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/** The caller of a job, with its callbacks. */
export interface JobCaller {
  readonly tenant: string;
  readonly signal: AbortSignal;
  /** Called when the job leaves the queue. */
  readonly started?: () => void;
  /** Receives the usage of the job, before its result is returned. */
  readonly spent: (usage: ResourceUsage) => void;
}

export interface ChildPool {
  /**
   * Runs a job in a separate process when it is its tenant's turn. An abort kills that process. Refuses with
   * `RateLimited` when too many jobs of the tenant wait, or when the job waited too long.
   */
  run(job: object, caller: JobCaller): Promise<Answer>;
  close(): void;
}

export interface ChildPoolOptions {
  /** A module that sends `{ready: true}` once it is loaded, and answers each message with an `Answer`. */
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
  /** Whether its job takes so long that other jobs may arrive before it ends. */
  isLong: boolean;
  /** The tenant whose job ended the process that this one replaces. */
  owedBy: string | undefined;
}

/** While a job takes longer than this, a spare process is started for the next job. */
const LONG_MS = 50;

/**
 * Processes that are started when needed, run one job at a time and never keep this process alive. While a job runs,
 * one spare process is ready: starting one takes a hundred times as long as a small job.
 */
export const createChildPool = (options: ChildPoolOptions): ChildPool => {
  const { file, size = 2, memoryMb = 256, mostWaiting = 200, longestWaitMs = 30_000 } = options;
  // One process is always left to other tenants.
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
      // The next process would not start either, so a waiting job gets the reason.
      isBroken = true;
      queue.take(() => true)?.failed(reason);
    }
    // Its tenant waits for the new process; the spare one is left to other tenants.
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
    // A killed process cannot report its usage, so the job is charged its elapsed time.
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
