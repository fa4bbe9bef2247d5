import { nextTurn } from './end-of-turn.ts';
import { Fault } from './errors.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Clock } from './ports.ts';
import { stopwatches } from './stopwatches.ts';

/** Divides the event loop between tenants by the CPU time of their requests. */
export interface FairTurns {
  /** Undefined when the tenant may go on at once; otherwise resolves when its turn comes. */
  enter(tenant: string): Promise<void> | undefined;
  /** Waits for a turn of its own, for work that is known to take long. */
  own(tenant: string): Promise<void>;
}

/** CPU time of one turn of the event loop after which further requests have to queue. */
const FULL_MS = 20;
/**
 * After work that took longer than `SHORT_MS`, `BETWEEN` turns pass: what a small call needs from request to answer.
 */
const SHORT_MS = 5;
const BETWEEN = 8;
const MAX_WAITING = 500;
const LOOK_AGAIN_MS = 2;
/** A tenant without requests of others for this long has nobody to pause for. */
const ALONE_MS = 1000;

/**
 * Without it, hundreds of requests of tens of milliseconds each that arrive together would run in one turn of seconds,
 * in which nobody else is served. Beside others a tenant pauses for as long as its work took, so it gets half of the
 * event loop at most.
 */
export const createFairTurns = (clock: Pick<Clock, 'now'>, maxWaiting = MAX_WAITING): FairTurns => {
  const { startStopwatch, cpuMs } = stopwatches(clock);
  const queue = createFairQueue<Waiting>(maxWaiting);
  const resting = new Map<string, number>();
  const latest = { tenant: '', at: Number.NEGATIVE_INFINITY, othersAt: Number.NEGATIVE_INFINITY };
  const see = (tenant: string, at: number): void => {
    if (tenant !== latest.tenant) latest.othersAt = latest.at;
    latest.tenant = tenant;
    latest.at = at;
  };
  const isAlone = (tenant: string): boolean =>
    clock.now() - (tenant === latest.tenant ? latest.othersAt : latest.at) > ALONE_MS;
  const isRested = (tenant: string): boolean => !resting.has(tenant) || isAlone(tenant);
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
    // The first one waits too, because others may arrive in the same turn.
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
    // By then the code after the promise has run, up to its next wait.
    await nextTurn();
    const tookMs = cpuMs(stopwatch, SHORT_MS);
    if (tookMs > SHORT_MS) rest(tenant, tookMs);
    return tookMs;
  };

  const own = (tenant: string): Promise<void> =>
    new Promise((go, refuse) => {
      see(tenant, clock.now());
      if (!queue.push(tenant, { tenant, go })) return refuse(tooBusy(maxWaiting));
      waiting++;
      if (!isServing) void serve();
      isServing = true;
    });
  const close = (): void => {
    const { stopwatch, last, isGiven } = turn;
    turn.isOpen = false;
    turn.isGiven = false;
    const tookMs = cpuMs(stopwatch, FULL_MS);
    // Later requests had to queue, so the tenant that was let in last took the time.
    if (!isGiven && tookMs > FULL_MS) rest(last, tookMs);
  };
  const isFull = (): boolean => {
    if (turn.isOpen) return cpuMs(turn.stopwatch, FULL_MS) > FULL_MS;
    turn.isOpen = true;
    // Short turns of one millisecond share a stopwatch, because starting one asks the system for the CPU time.
    if (turn.stopwatch.at !== clock.now()) turn.stopwatch = startStopwatch();
    setImmediate(close);
    return false;
  };
  return {
    own,
    enter(tenant) {
      if (isFull()) return own(tenant);
      see(tenant, turn.stopwatch.at);
      // A request may enter more than once, but waits only once.
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
