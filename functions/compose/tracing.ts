import { randomBytes } from 'node:crypto';
import { type KeepTracesOptions, keepTraces } from '../../shared/execute/keep-traces.ts';
import { createTracer, type Tracer } from '../../shared/kernel/tracer.ts';

/** Follows requests; traces with calls are kept in the table. */
export const createTracing = (options: KeepTracesOptions): Tracer =>
  createTracer({ now: microseconds, randomHex: createRandomHex(), sinks: [keepTraces(options)] });

/** The wall clock, as fine as the monotonic one. */
const microseconds = (): number => Math.round((performance.timeOrigin + performance.now()) * 1000);

const POOL_BYTES = 4096;

/** Asking the system for each id would cost more than all the rest of a span. */
const createRandomHex = (): ((bytes: number) => string) => {
  let pool = Buffer.alloc(0);
  let at = 0;
  return (bytes) => {
    if (at + bytes > pool.length) {
      pool = randomBytes(POOL_BYTES);
      at = 0;
    }
    at += bytes;
    return pool.toString('hex', at - bytes, at);
  };
};
