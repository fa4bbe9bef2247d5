import { Fault } from '../../kernel/errors.ts';
import { createFairQueue } from '../../kernel/fair-queue.ts';

/** How many bytes of decoded pictures all requests of a process may hold at once. */
export interface PictureBudget {
  /**
   * Waits, tenants in turn, until so many bytes are free, and gives what gives them back. All that a request needs is
   * taken at once: two that each held a part and waited for the rest would wait for ever.
   */
  reserve(tenant: string, bytes: number, signal?: AbortSignal): Promise<() => void>;
}

export interface BudgetOptions {
  readonly bytes?: number;
  readonly mostWaiting?: number;
  readonly longestWaitMs?: number;
}

interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

/** Two pictures of 100 megapixels as RGB, with some room. */
const DEFAULT_BUDGET_BYTES = 640 * 2 ** 20;

export const createPictureBudget = (options: BudgetOptions = {}): PictureBudget => {
  const { bytes: total = DEFAULT_BUDGET_BYTES, mostWaiting = 50, longestWaitMs = 30_000 } = options;
  const queue = createFairQueue<Waiting>(mostWaiting);
  let taken = 0;

  const assign = (): void => {
    // A large one at the head is waited for: else small ones would pass it for ever.
    for (let isOpen = true; isOpen; ) {
      const next = queue.take((_, { bytes }) => {
        isOpen &&= taken + bytes <= total;
        return isOpen;
      });
      if (!next) return;
      taken += next.bytes;
      next.go();
    }
  };
  const giver = (bytes: number): (() => void) => {
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      taken -= bytes;
      assign();
    };
  };

  return {
    reserve: (tenant, wanted, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        // One that is larger than all there is has it for itself.
        const bytes = Math.min(wanted, total);
        const leave = (reason: unknown): void => {
          clearTimeout(late);
          signal?.removeEventListener('abort', abort);
          queue.remove(tenant, waiting);
          reject(reason);
        };
        const abort = (): void => leave(signal?.reason);
        const late = setTimeout(() => leave(tooBusy(queue.waiting(tenant))), longestWaitMs);
        const waiting: Waiting = {
          bytes,
          go() {
            clearTimeout(late);
            signal?.removeEventListener('abort', abort);
            resolve(giver(bytes));
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        if (!queue.push(tenant, waiting)) return leave(tooBusy(queue.waiting(tenant)));
        return assign();
      }),
  };
};

const tooBusy = (waiting: number): Fault =>
  new Fault(
    'RateLimited',
    `${waiting} pictures of this tenant wait for memory to be decoded in; send fewer at once, smaller ones, or later`,
    { waiting, retry_after_seconds: 5 },
  );
