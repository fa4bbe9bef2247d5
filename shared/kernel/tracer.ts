import { lazily } from './lazily.ts';
import {
  type ActiveSpan,
  errorName,
  runInSpan,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type TraceSegment,
} from './trace.ts';
import { readTraceparent, type TraceParent } from './trace-parent.ts';

/** What starts a segment of a trace in this process. */
export interface Entry {
  readonly name: string;
  readonly kind: SpanKind;
  /** The caller's span, if known. */
  readonly parent?: TraceParent | undefined;
  /** Whether calls may run in it. */
  readonly mayCall: boolean;
}

/** Takes finished segments. */
export interface TraceSink {
  /** Whether it wants this segment; asked before it starts, so that unwanted segments are not recorded. */
  wants(entry: Entry, traceId: () => string): boolean;
  /** The promise, if any, resolves when the segment is stored. */
  take(segment: TraceSegment): Promise<void> | undefined;
  /** Stores pending segments, where they can be read from here. */
  flush?(): Promise<void>;
  close(): Promise<void>;
}

/** Starts traces, or continues those of callers. */
export interface Tracer {
  /** Undefined where no sink wants it, no call may run in it and no caller sent a trace. */
  begin(entry: Entry): OpenSegment | undefined;
  /** Stores pending segments, so that they can be read. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenSegment extends ActiveSpan {
  run<T>(work: () => T): T;
  end(about?: { readonly attributes?: SpanAttributes; readonly error?: string | undefined }): Promise<void> | undefined;
}

export interface TracerPorts {
  /** Microseconds since 1970. */
  readonly now: () => number;
  /** Random bytes as hexadecimal digits. */
  readonly randomHex: (bytes: number) => string;
  readonly sinks: readonly TraceSink[];
}

/** Further spans are dropped: a plan that reads a table a million times must not exhaust the memory. */
const MAX_SPANS = 1000;

export const createTracer = ({ now, randomHex, sinks }: TracerPorts): Tracer => {
  const newSpanId = () => randomHex(8);
  return {
    begin(entry) {
      const { parent, mayCall } = entry;
      const traceId = lazily(() => parent?.traceId ?? randomHex(16));
      const wanting = sinks.filter((sink) => sink.wants(entry, traceId));
      if (wanting.length > 0) return record({ now, newSpanId, sinks: wanting }, entry, traceId());
      if (!mayCall && parent === undefined) return undefined;
      const spanId = lazily(() => parent?.spanId ?? newSpanId());
      return new Unrecorded(traceId, spanId, parent !== undefined);
    },
    async flush() {
      await Promise.all(sinks.map((sink) => sink.flush?.()));
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
};

/** Propagates the trace without recording it. Ids are made on first use, since most callers need none. */
class Unrecorded implements OpenSegment {
  readonly isSampled = false;
  readonly isRemote: boolean;
  readonly #traceId: () => string;
  readonly #spanId: () => string;

  constructor(traceId: () => string, spanId: () => string, isRemote: boolean) {
    this.#traceId = traceId;
    this.#spanId = spanId;
    this.isRemote = isRemote;
  }

  get traceId(): string {
    return this.#traceId();
  }

  get spanId(): string {
    return this.#spanId();
  }

  run = <T>(work: () => T): T => runInSpan(this, work);

  end(): undefined {}
}

interface Recording {
  readonly now: () => number;
  readonly newSpanId: () => string;
  readonly sinks: readonly TraceSink[];
}

const record = ({ now, newSpanId, sinks }: Recording, { name, kind, parent }: Entry, traceId: string): OpenSegment => {
  const spans: Span[] = [];
  const spanId = newSpanId();
  const startUs = now();
  let tenant: string | undefined;
  const collector = {
    now,
    newSpanId,
    add: (span: Span) => void (spans.length < MAX_SPANS && spans.push(span)),
    noteCall(of: string) {
      tenant ??= of;
    },
  };
  const span: ActiveSpan = { traceId, spanId, isSampled: true, isRemote: parent !== undefined, collector };
  return {
    ...span,
    run: (work) => runInSpan(span, work),
    end({ attributes = {}, error } = {}) {
      spans.push({ id: spanId, parentId: parent?.spanId, name, kind, startUs, endUs: now(), attributes, error });
      const waits = sinks.map((sink) => sink.take({ traceId, spanId, spans, tenant, hasCall: tenant !== undefined }));
      const waiting = waits.filter((wait) => wait !== undefined);
      return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
    },
  };
};

/** Runs work as a segment of a trace. */
export const inSegment = async <T>(tracer: Tracer, entry: Entry, work: () => Promise<T>): Promise<T> => {
  const segment = tracer.begin(entry);
  if (segment === undefined) return work();
  let error: string | undefined;
  try {
    return await segment.run(work);
  } catch (thrown) {
    error = errorName(thrown);
    throw thrown;
  } finally {
    await segment.end({ error });
  }
};

/** Runs work that an earlier request caused, in its trace: a node of a plan, the scores of an upload. */
export const continueTrace = <T>(
  tracer: Tracer | undefined,
  { name, traceparent }: { readonly name: string; readonly traceparent: string | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  const parent = readTraceparent(traceparent);
  return tracer ? inSegment(tracer, { name, kind: 'consumer', parent, mayCall: true }, work) : work();
};

/** The tracer where nothing is traced. */
export const noTracer: Tracer = { begin: () => undefined, flush: async () => {}, close: async () => {} };
