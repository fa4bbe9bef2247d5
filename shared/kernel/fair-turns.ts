import { nextTurn } from './end-of-turn.ts';
import { Fault } from './errors.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Clock } from './ports.ts';
import { stopwatches } from './stopwatches.ts';

/** Divides the event loop between tenants by the time that their requests take of it. */
export interface FairTurns {
  /** Nothing while this turn has time left for the tenant; otherwise its place in the queue. */
  enter(tenant: string): Promise<void> | undefined;
  /** A turn of its own, for work that is known to take long. */
  own(tenant: string): Promise<void>;
}

/** What a turn may have taken of the processor when another request begins: others wait. */
const FULL_MS = 20;
/** After work that took longer, so many turns pass: as many as a small call takes from its request to its answer. */
const SHORT_MS = 5;
const BETWEEN = 8;
const MOST_WAITING = 500;
const LOOK_AGAIN_MS = 2;

/**
 * Hundreds of requests that take tens of milliseconds each and arrive together would otherwise be one turn of seconds,
 * in which nobody else is served. A tenant that took long rests as long: it has half of the event loop at most.
 */
export const createFairTurns = (clock: Pick<Clock, 'now'>, mostWaiting = MOST_WAITING): FairTurns => {
  const { startStopwatch, cpuMs } = stopwatches(clock);
  const queue = createFairQueue<Waiting>(mostWaiting);
  const resting = new Map<string, number>();
  const isRested = (tenant: string): boolean => !resting.has(tenant);
  const turn = { isOpen: false, stopwatch: startStopwatch(), last: '', isGiven: false };
  let [waiting, isServing] = [0, false];
  const rest = (tenant: string, milliseconds: number): void => {
    resting.set(tenant, (resting.get(tenant) ?? 0) + 1);
    setTimeout(() => {
      const left = (resting.get(tenant) ?? 1) - 1;
      if (left > 0) resting.set(tenant, left);
      else resting.delete(tenant);
    }, milliseconds);
  };

  const serve = async (): Promise<void> => {
    // The first one waits as well: others arrive in the same turn.
    await nextTurn();
    while (waiting > 0) {
      const next = queue.take(isRested);
      if (next === undefined) await restALittle();
      else if ((await giveTurn(next)) > SHORT_MS) await letOthersGo();
    }
    isServing = false;
  };
  const giveTurn = async ({ tenant, go }: Waiting): Promise<number> => {
    waiting--;
    isFull();
    turn.last = tenant;
    turn.isGiven = true;
    const stopwatch = startStopwatch();
    go();
    // What follows the promise has run by then, up to its next wait.
    await nextTurn();
    const tookMs = cpuMs(stopwatch, SHORT_MS);
    if (tookMs > SHORT_MS) rest(tenant, tookMs);
    return tookMs;
  };

  const own = (tenant: string): Promise<void> =>
    new Promise((go, refuse) => {
      if (!queue.push(tenant, { tenant, go })) return refuse(tooBusy(mostWaiting));
      waiting++;
      if (!isServing) void serve();
      isServing = true;
    });
  const close = (): void => {
    const { stopwatch, last, isGiven } = turn;
    turn.isOpen = false;
    turn.isGiven = false;
    const tookMs = cpuMs(stopwatch, FULL_MS);
    // Whoever came after it had to wait: what took long is the last that was let in.
    if (!isGiven && tookMs > FULL_MS) rest(last, tookMs);
  };
  const isFull = (): boolean => {
    if (turn.isOpen) return cpuMs(turn.stopwatch, FULL_MS) > FULL_MS;
    turn.isOpen = true;
    turn.stopwatch = startStopwatch();
    setImmediate(close);
    return false;
  };
  return {
    own,
    enter(tenant) {
      if (isFull()) return own(tenant);
      // A request enters more than once, and waits once.
      if (turn.isGiven && turn.last === tenant) return undefined;
      if ((waiting > 0 && queue.waiting(tenant) > 0) || (resting.size > 0 && !isRested(tenant))) return own(tenant);
      turn.last = tenant;
      turn.isGiven = false;
      return undefined;
    },
  };
};

interface Waiting {
  readonly tenant: string;
  readonly go: () => void;
}

const letOthersGo = async (): Promise<void> => {
  for (let turn = 0; turn < BETWEEN; turn++) await nextTurn();
};

const restALittle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));

const tooBusy = (limit: number): Fault =>
  new Fault(
    'RateLimited',
    `${limit} requests of this tenant wait for their turn, as those before them took long; send fewer at once, or later`,
    { limit, retry_after_seconds: 5 },
  );
