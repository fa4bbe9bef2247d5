import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/ports.ts';
import type { TraceSegment } from '../../kernel/trace.ts';
import type { TraceSink } from '../../kernel/tracer.ts';
import { toOtlpJson } from './otlp-json.ts';
import { createSampler } from './sampler.ts';
import type { OtelSettings } from './settings.ts';

export interface ExporterOptions {
  readonly settings: OtelSettings;
  readonly log: Pick<Log, 'warn'>;
  /** Sends a request, signed if the endpoint requires it. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How long spans wait to be sent together; 0 sends them before their request is answered. */
  readonly delayMs?: number;
}

const DELAY_MS = 1000;
/** X-Ray takes 10,000 spans and 5 MB at once. */
const MOST_IN_REQUEST = 1000;
const MOST_WAITING = 10_000;
const MOST_TRIES = 3;

/** Sends traces to an OTLP/HTTP endpoint. Spans that cannot be sent are dropped with a warning. */
export const otlpExporter = (options: ExporterOptions): TraceSink => {
  const { settings, log, delayMs = DELAY_MS } = options;
  const isSampled = createSampler(settings);
  const send = createSend(options);
  let waiting: TraceSegment[] = [];
  let spans = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();

  const sendAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const segments = waiting;
    waiting = [];
    spans = 0;
    for (const batch of inBatches(segments)) {
      try {
        await send(JSON.stringify(toOtlpJson(settings.resource, batch)));
      } catch (thrown) {
        const lost = batch.reduce((sum, segment) => sum + segment.spans.length, 0);
        log.warn('spans not sent', { spans: lost, endpoint: settings.endpoint, error: messageOf(thrown) });
      }
    }
  };
  const flush = (): Promise<void> => {
    running = running.then(sendAll);
    return running;
  };

  return {
    wants: (entry, traceId) => spans < MOST_WAITING && isSampled(entry, traceId),
    take(segment) {
      waiting.push(segment);
      spans += segment.spans.length;
      if (delayMs === 0) return flush();
      timer ??= setTimeout(() => void flush(), delayMs).unref();
      return undefined;
    },
    close: flush,
  };
};

const inBatches = (segments: readonly TraceSegment[]): readonly TraceSegment[][] => {
  const batches: TraceSegment[][] = [];
  let room = 0;
  for (const segment of segments) {
    if (batches.length === 0 || segment.spans.length > room) {
      batches.push([]);
      room = MOST_IN_REQUEST;
    }
    batches.at(-1)?.push(segment);
    room -= segment.spans.length;
  }
  return batches;
};

/** Posts a body, with retries where the specification allows them. */
const createSend = ({ settings, fetch: post = fetch, delayMs }: ExporterOptions) => {
  const headers = { ...settings.headers, 'content-type': 'application/json' };
  // A Lambda function is paid by the millisecond, so it does not retry.
  const tries = delayMs === 0 ? 1 : MOST_TRIES;
  return async (body: string): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.timeout(settings.timeoutMs);
      const answer = await post(settings.endpoint, { method: 'POST', headers, body, signal, redirect: 'error' });
      await answer.body?.cancel();
      if (answer.ok) return;
      if (attempt >= tries || !RETRIED.has(answer.status)) throw new Error(`answered ${answer.status}`);
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  };
};

const RETRIED = new Set([429, 502, 503, 504]);
