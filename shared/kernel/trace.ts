import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault } from './errors.ts';
import { type TraceParent, writeTraceparent } from './trace-parent.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One piece of work that was timed. Times are microseconds since 1970. */
export interface Span {
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: SpanAttributes;
  /** The code of the error; messages may hold private data. */
  readonly error?: string | undefined;
}

/** The spans that this process recorded below one entry point of a trace: a request, an event, a node of a plan. */
export interface TraceSegment {
  readonly traceId: string;
  /** The entry's own span. */
  readonly spanId: string;
  readonly spans: readonly Span[];
  /** The tenant, once it is known. */
  readonly tenant?: string | undefined;
  /** Whether a call ran in it: only such segments are found by the id of a call. */
  readonly hasCall: boolean;
}

/** Collects the spans of a segment. */
export interface SpanCollector {
  readonly now: () => number;
  readonly newSpanId: () => string;
  add(span: Span): void;
  /** Notes that a call of this tenant runs in the segment. */
  noteCall(tenant: string): void;
}

/** The current span; without a collector the trace is propagated, but not recorded. */
export interface ActiveSpan extends TraceParent {
  readonly collector?: SpanCollector | undefined;
  /** Whether the trace was started elsewhere, so that its id means something to others. */
  readonly isRemote?: boolean | undefined;
}

const active = new AsyncLocalStorage<ActiveSpan>();

export const currentSpan = (): ActiveSpan | undefined => active.getStore();

/** The `traceparent` header for requests to other processes. */
export const currentTraceparent = (): string | undefined => {
  const span = active.getStore();
  return span && writeTraceparent(span);
};

/** Runs work as part of a span that somebody else ends. */
export const runInSpan = <T>(span: ActiveSpan, work: () => T): T => active.run(span, work);

/** The trace id to store beside a record; undefined where the trace is recorded nowhere. */
export const currentTraceId = (): string | undefined => {
  const span = active.getStore();
  return span && (span.collector !== undefined || span.isRemote) ? span.traceId : undefined;
};

/** Runs work as a child of the current span; without a recorded trace it only runs the work. */
export const inSpan = <T>(name: string, attributes: SpanAttributes, work: () => T, kind: SpanKind = 'internal'): T => {
  const span = openSpan(name, attributes, kind);
  if (span === undefined) return work();
  try {
    const done = span.run(work);
    if (done instanceof Promise) done.then(() => span.end(), span.fail);
    else span.end();
    return done;
  } catch (thrown) {
    span.fail(thrown);
    throw thrown;
  }
};

/** A span whose end is not that of a function. Only the first end counts. */
export interface OpenSpan {
  run<T>(work: () => T): T;
  end(): void;
  fail(thrown: unknown): void;
}

/** Opens a child of the current span; undefined without a recorded trace. */
export const openSpan = (
  name: string,
  attributes: SpanAttributes = {},
  kind: SpanKind = 'internal',
): OpenSpan | undefined => {
  const parent = active.getStore();
  if (parent?.collector === undefined) return undefined;
  const { collector } = parent;
  const span: ActiveSpan = { ...parent, spanId: collector.newSpanId() };
  const startUs = collector.now();
  let isOver = false;
  const end = (error?: string): void => {
    if (isOver) return;
    isOver = true;
    const { spanId: id } = span;
    collector.add({ id, parentId: parent.spanId, name, kind, startUs, endUs: collector.now(), attributes, error });
  };
  return {
    run: (work) => active.run(span, work),
    end: () => end(),
    fail: (thrown) => end(errorName(thrown)),
  };
};

/** The name under which a span reports what was thrown. */
export const errorName = (thrown: unknown): string => {
  if (thrown instanceof Fault) return thrown.code;
  return thrown instanceof Error ? thrown.name : 'Error';
};
