import { Script } from 'node:vm';

export const MOST_MS = 50;

// The only way to interrupt a synchronous function on its own thread.
const slot = Symbol.for('assay.within-time');
const script = new Script('globalThis[Symbol.for("assay.within-time")]()');

/**
 * Runs work that may take long for some values, and interrupts it after some time of the processor; the watchdog costs a
 * tenth of a millisecond. It goes by the clock, so work that got little of a busy machine's time is given more of it.
 * Interrupted work runs no `finally`: it must leave nothing behind that others use.
 */
export const withinTime = <T>(work: () => T, mostMs = MOST_MS, clockMs = mostMs): T => {
  const before = process.threadCpuUsage();
  try {
    return interruptAfter(work, clockMs);
  } catch (thrown) {
    const { user, system } = process.threadCpuUsage(before);
    if (!isTimeout(thrown) || clockMs > 20 * mostMs || (user + system) / 1000 > mostMs / 2) throw thrown;
    return withinTime(work, mostMs, 2 * clockMs);
  }
};

/** Whether work was interrupted because it took too long. */
export const isTimeout = (thrown: unknown): boolean =>
  (thrown as { readonly code?: string } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** How much there is to look at in a value: its parts and a quarter of its characters; no further than asked for. */
export const sizeOfValue = (value: unknown, enough = Number.POSITIVE_INFINITY): number => {
  if (typeof value === 'string') return 1 + value.length / 4;
  if (typeof value !== 'object' || value === null) return 1;
  let total = 1;
  // Names of places in a list would be made as texts.
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
