import { randomBytes } from 'node:crypto';
import { type KeepTracesOptions, keepTraces } from '../../execute/keep-traces.ts';
import { createTracer, type Tracer } from '../../kernel/tracer.ts';
import type { ExporterOptions } from './otlp-exporter.ts';
import { type OtelEnvironment, otelSettings } from './settings.ts';

export interface TracingOptions extends KeepTracesOptions {
  readonly environment: OtelEnvironment;
  /** Sends a request, signed if the endpoint requires it. */
  readonly fetch?: ExporterOptions['fetch'];
}

/** Traces requests: traces with calls are stored in the table, and exported by OTLP if `OTEL_*` is set. */
export const createTracing = async ({ environment, fetch, ...options }: TracingOptions): Promise<Tracer> => {
  const settings = otelSettings(environment);
  const sinks = [keepTraces(options)];
  if (settings) {
    // Loaded only where it is used.
    const { otlpExporter } = await import('./otlp-exporter.ts');
    sinks.push(otlpExporter({ settings, fetch, log: options.log, delayMs: options.delayMs }));
  }
  return createTracer({ now: microseconds, randomHex: createRandomHex(), sinks });
};

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
