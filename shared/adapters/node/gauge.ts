import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Gauge, ResourceUsage } from '../../kernel/ports.ts';
import { type Stopwatch, stopwatches } from '../../kernel/stopwatches.ts';

export interface NodeGauge extends Gauge {
  /** Returns a function that adds the usage of another thread or process to the current call. */
  forCall(): (usage: ResourceUsage) => void;
}

/** Below this, elapsed time is used as CPU time. */
const SHORT_MS = 2;

/**
 * Measures calls that share one thread. The thread's CPU time and heap are read at every switch from one call to
 * another, so each reading belongs to the call that ran before it, and a waiting call is charged nothing.
 *
 * Following every switch doubles the cost of all work on the thread. So switches are followed only while a call
 * outlasts its turn of the event loop or runs beside another; until then the thread belongs to one call.
 */
export const nodeGauge = (): NodeGauge => {
  const calls = new AsyncLocalStorage<Account>();
  const open = new Set<Account>();
  let running: Account | undefined;
  // Readings before the first call belong to no call.
  let last: Reading = { cpuMs: 0, bytes: 0 };
  const { startStopwatch, cpuMs } = stopwatches({ now: () => performance.now() });
  let lone: { readonly account: Account; readonly stopwatch: Stopwatch; readonly bytes: number } | undefined;

  const endLone = (): void => {
    if (lone) add(lone.account, cpuMs(lone.stopwatch, SHORT_MS), readBytes() - lone.bytes);
    lone = undefined;
  };
  const turnTo = (next: Account | undefined): void => {
    if (next === running) return;
    const now = readThread();
    if (running) add(running, now.cpuMs - last.cpuMs, now.bytes - last.bytes);
    last = now;
    running = next;
  };
  const turns = followTurns(
    () => calls.getStore(),
    () => running,
    turnTo,
  );
  const follow = (): void => {
    if (turns.areFollowed()) return;
    endLone();
    last = readThread();
    running = undefined;
    turns.follow();
  };
  let isLooking = false;
  const lookAfterTurn = (): void => {
    if (isLooking) return;
    isLooking = true;
    setImmediate(() => {
      isLooking = false;
      if (open.size > 0) follow();
    });
  };
  const begin = (account: Account): void => {
    if (open.size > 0) follow();
    open.add(account);
    if (turns.areFollowed()) turnTo(account);
    else {
      lone = { account, stopwatch: startStopwatch(), bytes: readBytes() };
      lookAfterTurn();
    }
  };
  const end = (account: Account, outer: Account | undefined): void => {
    open.delete(account);
    if (lone?.account === account) endLone();
    else if (running === account) turnTo(outer && open.has(outer) ? outer : undefined);
    if (open.size === 0) turns.leave();
  };

  return {
    async measure(work) {
      const account: Account = { cpuMs: 0, bytes: 0, peak: 0 };
      const outer = calls.getStore();
      const started = performance.now();
      begin(account);
      const working = calls.run(account, settle, work);
      if (turns.areFollowed()) turnTo(outer);
      const result = await working;
      end(account, outer);
      return { result, durationMs: performance.now() - started, usage: toUsage(account) };
    },
    forCall() {
      const account = calls.getStore();
      return (usage) => {
        if (!account) return;
        account.peak = Math.max(account.peak, account.bytes + usage.memoryPeakBytes);
        add(account, usage.cpuMs, usage.memoryDeltaBytes);
      };
    },
  };
};

/** Reports switches of the thread between asynchronous contexts while it is switched on. */
const followTurns = (
  current: () => Account | undefined,
  before: () => Account | undefined,
  turnTo: (next: Account | undefined) => void,
) => {
  const nested: (Account | undefined)[] = [];
  let isOn = false;
  const hook = createHook({
    before() {
      nested.push(before());
      turnTo(current());
    },
    after() {
      const outer = nested.pop();
      // The outermost account stays open: an idle thread costs nothing, and often the same call continues.
      if (nested.length > 0) turnTo(outer);
    },
  });
  return {
    areFollowed: () => isOn,
    follow(): void {
      if (isOn) return;
      isOn = true;
      nested.length = 0;
      hook.enable();
    },
    leave(): void {
      if (!isOn) return;
      isOn = false;
      hook.disable();
    },
  };
};

interface Account {
  cpuMs: number;
  bytes: number;
  peak: number;
}

const add = (account: Account, cpuMs: number, bytes: number): void => {
  account.cpuMs += cpuMs;
  // Collected garbage may belong to other calls, so a call's memory never becomes negative.
  account.bytes = Math.max(0, account.bytes + bytes);
  if (account.bytes > account.peak) account.peak = account.bytes;
};

const toUsage = ({ cpuMs, bytes, peak }: Account): ResourceUsage => ({
  cpuMs,
  memoryDeltaBytes: Math.round(bytes),
  memoryPeakBytes: Math.round(peak),
});

const settle = async <T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> => {
  try {
    return { status: 'fulfilled', value: await work() };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
};

interface Reading {
  readonly cpuMs: number;
  readonly bytes: number;
}

const readThread = (): Reading => {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1000, bytes: readBytes() };
};

const readBytes = (): number => {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
};
