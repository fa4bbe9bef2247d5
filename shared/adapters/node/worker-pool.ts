import { Worker } from 'node:worker_threads';
import type { Usage } from '../../ports.ts';

/** What a worker answers to a job: the output as JSON text, or what was thrown. */
export type Answer =
  | { readonly text: string; readonly usage: Usage }
  | { readonly thrown: Thrown; readonly usage: Usage };

export interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

export interface WorkerPool {
  /**
   * Runs a job on a thread of its own. When the signal aborts, the thread is ended, whatever it is doing.
   * However the job ends, what it used is told before anyone hears of its end.
   */
  run(job: unknown, signal: AbortSignal, spent: (usage: Usage) => void): Promise<Answer>;
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** A module that answers each message with an `Answer`. */
  readonly file: URL;
  readonly size?: number;
  /** A job that needs more memory ends its thread, not the process. */
  readonly memoryMb?: number;
}

interface Job {
  readonly message: unknown;
  readonly done: (answer: Answer) => void;
  readonly failed: (reason: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** Milliseconds the thread had been busy for when its job began. */
  busyBefore: number;
}

/** Threads that are started when needed, do one job at a time and never keep the process alive. */
export const createWorkerPool = ({ file, size = 2, memoryMb = 256 }: WorkerPoolOptions): WorkerPool => {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];

  const start = (): Thread => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    const thread: Thread = { worker, job: undefined, busyBefore: 0 };
    threads.add(thread);
    worker.unref();
    worker.on('message', (answer: Answer) => {
      const { job } = thread;
      thread.job = undefined;
      worker.unref();
      job?.done(answer);
      assign();
    });
    worker.on('error', (error: Error & { code?: string }) =>
      end(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory(memoryMb) : error),
    );
    worker.on('exit', (code) => end(thread, exited(code)));
    return thread;
  };
  const end = (thread: Thread, reason: Error): void => {
    threads.delete(thread);
    const { job } = thread;
    thread.job = undefined;
    job?.failed(reason);
    assign();
  };
  const assign = (): void => {
    while (waiting.length > 0) {
      const free = [...threads].find(({ job }) => job === undefined) ?? (threads.size < size ? start() : undefined);
      if (!free) return;
      free.job = waiting.shift();
      free.busyBefore = busyOf(free.worker);
      free.worker.ref();
      free.worker.postMessage(free.job?.message);
    }
  };
  const stop = (job: Job, reason: Error, spent: (usage: Usage) => void): void => {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
    const thread = [...threads].find((one) => one.job === job);
    if (thread) spent({ cpuMs: busyOf(thread.worker) - thread.busyBefore, memoryDeltaBytes: 0, memoryPeakBytes: 0 });
    job.failed(reason);
    if (!thread) return;
    end(thread, reason);
    void thread.worker.terminate();
  };

  return {
    run: (message, signal, spent) =>
      new Promise((resolve, failed) => {
        const done = (answer: Answer): void => {
          spent(answer.usage);
          resolve(answer);
        };
        const job: Job = { message, done, failed };
        const abort = () => stop(job, reasonOf(signal), spent);
        if (signal.aborted) return abort();
        signal.addEventListener('abort', abort, { once: true });
        waiting.push(job);
        return assign();
      }),
    close: async () => {
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
};

// A thread that is ended cannot tell what it used; the time its loop was busy is close.
const busyOf = (worker: Worker): number => worker.performance.eventLoopUtilization().active;

const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error('the call was ended');

const exited = (code: number): Error =>
  Object.assign(new Error(`the tool ended its thread with exit code ${code}`), { name: 'WorkerExited' });

const outOfMemory = (memoryMb: number): Error =>
  Object.assign(new Error(`the tool needed more than ${memoryMb} MB of memory`), { name: 'OutOfMemory' });
