import { messageOf } from '../kernel/errors.ts';
import { traceKey } from '../kernel/item-keys.ts';
import type { Clock, Log, Table, Write } from '../kernel/ports.ts';
import { put } from '../kernel/stored.ts';
import type { TraceSegment } from '../kernel/trace.ts';
import type { TraceSink } from '../kernel/tracer.ts';
import { TraceItem, toStoredSpan } from './trace-item.ts';

export interface KeepTracesOptions {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
  /** How long segments wait to be stored together; 0 stores each before its request is answered. */
  readonly delayMs?: number;
  /** Stores only traces that the caller has sampled, because each write is paid for. */
  readonly followsParent?: boolean;
}

/** 200 traces at once, then one a second: enough for people to look at, without slowing a busy server down. */
const BURST = 200;
const PER_SECOND = 1;
const RETENTION_SECONDS = 3 * 86_400;
const DELAY_MS = 100;

/** Stores traces in which calls ran, so that a call can be inspected where no collector receives traces. */
export const keepTraces = (options: KeepTracesOptions): TraceSink => {
  const { table, clock, log, delayMs = DELAY_MS, followsParent = false } = options;
  const takeToken = createBucket(clock);
  const waiting: TraceSegment[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const segments = waiting.splice(0);
    try {
      if (segments.length > 0) await table.write(segments.map((segment) => toWrite(segment, clock.now())));
    } catch (thrown) {
      log.warn('traces not kept', { traces: segments.length, error: messageOf(thrown) });
    }
  };
  return {
    wants({ mayCall, kind, parent }) {
      if (!mayCall) return false;
      // Work caused by one of our own requests follows that request's decision.
      if (kind === 'consumer' && parent) return parent.isSampled;
      return (!followsParent || parent?.isSampled === true) && takeToken();
    },
    take(segment) {
      if (!segment.hasCall) return undefined;
      waiting.push(segment);
      if (delayMs === 0) return flush();
      timer ??= setTimeout(() => void flush(), delayMs).unref();
      return undefined;
    },
    flush,
    close: flush,
  };
};

const toWrite = ({ tenant = '', traceId, spanId, spans }: TraceSegment, now: number): Write =>
  put(
    traceKey(tenant, traceId, spanId),
    TraceItem,
    { spans: spans.map(toStoredSpan) },
    Math.floor(now / 1000) + RETENTION_SECONDS,
  );

/** A token bucket. */
const createBucket = ({ now }: Pick<Clock, 'now'>): (() => boolean) => {
  let tokens = BURST;
  let seenAt = now();
  return () => {
    const at = now();
    tokens = Math.min(BURST, tokens + ((at - seenAt) / 1000) * PER_SECOND);
    seenAt = at;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
};
