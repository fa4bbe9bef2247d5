import { Aborted } from './state-error.ts';

const OVER = 'over';

/**
 * A cancellable scope of work, with everything inside it. Abort signals would do, but listeners would pile up on one
 * signal with two hundred branches below it.
 */
export class Cancel {
  readonly #listeners = new Set<() => void>();
  #cancelled = false;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Throws when the work has been cancelled. */
  check(): void {
    if (this.#cancelled) throw new Aborted();
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls back once on cancellation; the returned function unsubscribes. */
  onCancel(listener: () => void): () => void {
    if (this.#cancelled) listener();
    else this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Runs work in a scope of its own, which ends with the work. */
  async within<T>(work: (inner: Cancel) => Promise<T>): Promise<T> {
    const inner = new Cancel();
    const release = this.onCancel(() => inner.cancel());
    try {
      return await work(inner);
    } finally {
      release();
      inner.cancel();
    }
  }

  /** Runs abortable work; rejects at once on cancellation, even if the work ignores the signal. */
  async race<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.check();
    const controller = new AbortController();
    let release = (): void => {};
    const called = new Promise<never>((_, reject) => {
      release = this.onCancel(() => reject(new Aborted()));
    });
    try {
      return await Promise.race([work(controller.signal), called]);
    } finally {
      release();
      // Without a reason of ours, each abort would create an exception with a stack trace.
      controller.abort(OVER);
    }
  }
}
