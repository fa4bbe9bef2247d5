import { type AsyncHook, AsyncLocalStorage, createHook } from 'node:async_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Gauge, Usage } from '../../ports.ts';

export interface NodeGauge extends Gauge {
  /** Takes what another thread used on behalf of the call that is running now, whenever that is known. */
  forCall(): (usage: Usage) => void;
}

/**
 * Measures calls that share one thread. The thread's CPU time and heap are read whenever the thread turns from one
 * call to another, so each reading belongs to the call that ran before it: a call that waits is charged nothing.
 */
export const nodeGauge = (): NodeGauge => {
  const calls = new AsyncLocalStorage<Account>();
  const nested: (Account | undefined)[] = [];
  let running: Account | undefined;
  let last = readThread();

  const turnTo = (next: Account | undefined): void => {
    if (next === running) return;
    const now = readThread();
    if (running) add(running, now.cpuMs - last.cpuMs, now.bytes - last.bytes);
    last = now;
    running = next;
  };
  const hook = createHook({
    before() {
      nested.push(running);
      turnTo(calls.getStore());
    },
    after() {
      const outer = nested.pop();
      // Outermost, the account stays open: an idle thread costs nothing, and often the same call goes on.
      if (nested.length > 0) turnTo(outer);
    },
  });
  const watch = watchWhileUsed(hook, () => {
    nested.length = 0;
  });

  return {
    async measure(work) {
      const account: Account = { cpuMs: 0, bytes: 0, peak: 0 };
      const outer = running;
      const started = performance.now();
      watch.enter();
      turnTo(account);
      const working = calls.run(account, settle, work);
      turnTo(outer);
      const result = await working;
      watch.leave();
      return { result, durationMs: performance.now() - started, usage: usageOf(account) };
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

interface Account {
  cpuMs: number;
  bytes: number;
  peak: number;
}

const add = (account: Account, cpuMs: number, bytes: number): void => {
  account.cpuMs += cpuMs;
  // Garbage that is collected meanwhile may be others': a call cannot give back more than it took.
  account.bytes = Math.max(0, account.bytes + bytes);
  if (account.bytes > account.peak) account.peak = account.bytes;
};

const usageOf = ({ cpuMs, bytes, peak }: Account): Usage => ({
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

const readThread = (): { readonly cpuMs: number; readonly bytes: number } => {
  const { user, system } = process.threadCpuUsage();
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return { cpuMs: (user + system) / 1000, bytes: heap + external };
};

const IDLE_MS = 1000;

/** Keeps the hook on while calls run and a little longer: switching it for every call would cost more than it. */
const watchWhileUsed = (hook: AsyncHook, onStart: () => void) => {
  let users = 0;
  let isOn = false;
  let idle: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (users > 0) return;
    isOn = false;
    idle = undefined;
    hook.disable();
  };
  return {
    enter(): void {
      users++;
      if (isOn) return;
      isOn = true;
      onStart();
      hook.enable();
    },
    leave(): void {
      users--;
      if (users > 0) return;
      if (idle) idle.refresh();
      else idle = setTimeout(stop, IDLE_MS).unref();
    },
  };
};
