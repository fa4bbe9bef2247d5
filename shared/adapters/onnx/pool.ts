import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/ports.ts';
import { fromFailure } from './failure.ts';
import type { JobKind, JobMessage, Jobs, Reply } from './messages.ts';
import { type NativeThread, startNativeThread } from './native-thread.ts';
import type { WorkerSettings } from './worker.ts';

export interface PoolOptions {
  readonly workerUrl: URL;
  readonly size: number;
  readonly settings: WorkerSettings;
  readonly log: Log;
  /** How long closing waits for native code that a worker is inside. */
  readonly closeMs?: number | undefined;
}

export interface WorkerJobOptions {
  /** Names the job in a failure: `ssim on photo.jpg`. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

interface Job {
  readonly message: JobMessage;
  readonly what: string;
  resolve(answer: unknown): void;
  reject(thrown: unknown): void;
}

interface Member {
  readonly thread: NativeThread;
  job?: Job | undefined;
}

/** Worker threads, started when first needed. A job waits for a free one; each does one at a time. */
export class WorkerPool {
  readonly #options: PoolOptions;
  readonly #members = new Set<Member>();
  readonly #queue: Job[] = [];
  readonly #warned = new Set<string>();
  #nextId = 1;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#options.size;
  }

  /** Rejects with the signal's reason when aborted, and with a ToolExecutionError when the worker ends. */
  run<Kind extends JobKind>(
    kind: Kind,
    ask: Jobs[Kind]['ask'],
    options: WorkerJobOptions,
  ): Promise<Jobs[Kind]['answer']> {
    const { what, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedFault());
      if (signal?.aborted) return reject(signal.reason);
      const givenUp = new Int32Array(new SharedArrayBuffer(4));
      const abort = (): void => {
        Atomics.store(givenUp, 0, 1);
        this.#withdraw(givenUp);
        reject(signal?.reason);
      };
      const settled = (): void => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.push({
        message: { id: this.#nextId++, kind, ask, givenUp },
        what,
        resolve(answer) {
          settled();
          resolve(answer as Jobs[Kind]['answer']);
        },
        reject(thrown) {
          settled();
          reject(thrown);
        },
      });
      this.#dispatch();
    });
  }

  /** Callers are told at once; a worker ends when it leaves native code. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.reject(closedFault());
    for (const { job } of this.#members) {
      if (job) Atomics.store(job.message.givenUp, 0, 1);
      job?.reject(closedFault());
    }
    await Promise.all([...this.#members].map(({ thread }) => thread.end(this.#options.closeMs ?? CLOSE_MS)));
    this.#members.clear();
  }

  #withdraw(givenUp: Int32Array): void {
    const waiting = this.#queue.findIndex((job) => job.message.givenUp === givenUp);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#members].find((member) => !member.job);
      const member = idle ?? (this.#members.size < this.size ? this.#start() : undefined);
      if (!member) return;
      member.job = this.#queue.shift();
      member.thread.worker.ref();
      member.thread.worker.postMessage(member.job?.message);
    }
  }

  #start(): Member {
    const { workerUrl, settings } = this.#options;
    const thread = startNativeThread(workerUrl, settings, resourceLimits);
    const member: Member = { thread };
    thread.worker.on('message', (reply: Reply) => this.#settle(member, reply));
    thread.worker.on('error', (error) => this.#lose(member, error.message));
    thread.worker.on('exit', (code) => this.#lose(member, `exit code ${code}`));
    this.#members.add(member);
    return member;
  }

  #settle(member: Member, reply: Reply): void {
    if ('warning' in reply) {
      // Every worker finds the same out for itself.
      if (!this.#warned.has(reply.warning)) this.#options.log.warn(reply.warning, reply.fields);
      this.#warned.add(reply.warning);
      return;
    }
    const job = member.job;
    member.job = undefined;
    // An idle worker does not keep the process alive.
    member.thread.worker.unref();
    if ('failure' in reply) job?.reject(fromFailure(reply.failure, job.what));
    else job?.resolve(reply.answer);
    this.#dispatch();
  }

  #lose(member: Member, reason: string): void {
    if (!this.#members.delete(member) || this.#closed) return;
    const what = member.job?.what ?? 'an idle worker';
    this.#options.log.error('an image worker ended', { what, reason });
    member.job?.reject(new Fault('ToolExecutionError', `${what} failed: its worker ended (${reason}); try again`));
    this.#dispatch();
  }
}

/** What takes a moment takes long on a busy machine; whoever cannot wait kills the process. */
const CLOSE_MS = 30_000;

// Tensors live outside the heap and go only when it is swept: a small nursery is swept often, which bounds them.
const resourceLimits = { maxYoungGenerationSizeMb: 2 };

const closedFault = (): Fault => new Fault('Unavailable', 'the image engine is closed');
