import { Script } from 'node:vm';

export const MAX_CPU_MS = 50;

// A script's timeout is the only way to interrupt a synchronous function on its own thread.
const slot = Symbol.for('assay.within-time');
const script = new Script('globalThis[Symbol.for("assay.within-time")]()');

/**
 * Runs work with a limit on its CPU time; the watchdog costs a tenth of a millisecond. It measures elapsed time, so
 * work that got little CPU time on a busy machine is run again with a longer limit. Interrupted work runs no `finally`:
 * it must leave no shared state behind.
 */
export const withinTime = <T>(work: () => T, maxMs = MAX_CPU_MS, clockMs = maxMs): T => {
  const before = process.threadCpuUsage();
  try {
    return interruptAfter(work, clockMs);
  } catch (thrown) {
    const { user, system } = process.threadCpuUsage(before);
    if (!isTimeout(thrown) || clockMs > 20 * maxMs || (user + system) / 1000 > maxMs / 2) throw thrown;
    return withinTime(work, maxMs, 2 * clockMs);
  }
};

/** Whether work was interrupted by the limit. */
export const isTimeout = (thrown: unknown): boolean =>
  (thrown as { readonly code?: string } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** The size of a value: its parts and a quarter of its characters. Counting stops at `enough`. */
export const sizeOfValue = (value: unknown, enough = Number.POSITIVE_INFINITY): number => {
  if (typeof value === 'string') return 1 + value.length / 4;
  if (typeof value !== 'object' || value === null) return 1;
  let total = 1;
  // Indices of a list would have to be made as strings.
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const count = names?.length ?? (value as readonly unknown[]).length;
  for (let at = 0; at < count && total < enough; at++)
    total += sizeOfValue((value as Readonly<Record<string, unknown>>)[names?.[at] ?? at], enough - total);
  return total;
};

const interruptAfter = <T>(work: () => T, milliseconds: number): T => {
  const scope = globalThis as { [slot]?: (() => T) | undefined };
  const outer = scope[slot];
  scope[slot] = work;
  try {
    return script.runInThisContext({ timeout: milliseconds }) as T;
  } finally {
    scope[slot] = outer;
  }
};
