import type { Usage } from '../../kernel/ports.ts';
import { type Child, startChild } from './child.ts';

/** What a process answers to a job: the output as JSON text, or what was thrown. */
export type Answer =
  | { readonly text: string; readonly usage: Usage }
  | { readonly thrown: Thrown; readonly usage: Usage };

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

export interface ChildPool {
  /**
   * Runs a job in a process apart. When the signal aborts, that process is ended, whatever it is doing.
   * What the job used is told before anyone hears of its end.
   */
  run(job: object, signal: AbortSignal, spent: (usage: Usage) => void): Promise<Answer>;
  close(): void;
}

export interface ChildPoolOptions {
  /** A module that answers each message with an `Answer`. */
  readonly file: URL;
  readonly size?: number;
  readonly memoryMb?: number;
}

interface Job {
  readonly message: object;
  readonly done: (answer: Answer) => void;
  readonly failed: (reason: Error) => void;
  startedAt: number;
}

interface Slot {
  readonly child: Child;
  job: Job | undefined;
}

/** Processes that are started when needed, do one job at a time and never keep this one alive. */
export const createChildPool = ({ file, size = 2, memoryMb = 256 }: ChildPoolOptions): ChildPool => {
  const slots = new Set<Slot>();
  const waiting: Job[] = [];

  const start = (): Slot => {
    const finish = (): Job | undefined => {
      const { job } = slot;
      slot.job = undefined;
      return job;
    };
    const child = startChild({
      file,
      memoryMb,
      isTrusted: false,
      onMessage: (answer: Answer) => {
        finish()?.done(answer);
        child.hold(false);
        assign();
      },
      onEnd: (reason) => {
        slots.delete(slot);
        finish()?.failed(reason);
        assign();
      },
    });
    const slot: Slot = { child, job: undefined };
    slots.add(slot);
    return slot;
  };
  const assign = (): void => {
    while (waiting.length > 0) {
      const free = [...slots].find(({ job }) => job === undefined) ?? (slots.size < size ? start() : undefined);
      if (!free) return;
      const job = waiting.shift();
      if (!job) return;
      free.job = job;
      job.startedAt = performance.now();
      free.child.hold(true);
      free.child.send(job.message);
    }
  };
  const stop = (job: Job, spent: (usage: Usage) => void): void => {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
    const slot = [...slots].find((one) => one.job === job);
    if (!slot) return;
    // It can no longer say what it used; a job that had to be ended was busy all the time.
    spent({ cpuMs: performance.now() - job.startedAt, memoryDeltaBytes: 0, memoryPeakBytes: 0 });
    slot.child.kill();
  };

  return {
    run: (message, signal, spent) =>
      new Promise((resolve, failed) => {
        const done = (answer: Answer): void => {
          spent(answer.usage);
          resolve(answer);
        };
        const job: Job = { message, done, failed, startedAt: 0 };
        if (signal.aborted) return failed(signal.reason);
        signal.addEventListener('abort', () => {
          stop(job, spent);
          failed(signal.reason);
        });
        waiting.push(job);
        return assign();
      }),
    close: () => {
      for (const { child } of slots) child.kill();
    },
  };
};
