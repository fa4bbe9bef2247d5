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
  /** The code of the error it ended with; messages may hold what a trace must not. */
  readonly error?: string | undefined;
}

/** The spans of one trace that this process made under one of its entries: a request, an event, a node of a plan. */
export interface TraceSegment {
  readonly traceId: string;
  /** The entry's own span. */
  readonly spanId: string;
  readonly spans: readonly Span[];
  /** Whose it is, once that is known. */
  readonly tenant?: string | undefined;
  /** Whether a call ran in it: only those are found again by a call. */
  readonly hasCall: boolean;
}

/** Collects the spans of a segment. */
export interface SpanCollector {
  readonly now: () => number;
  readonly newSpanId: () => string;
  add(span: Span): void;
  /** Says that a call of this tenant runs in the segment. */
  hasCallOf(tenant: string): void;
}

/** The span that the running code is in; without a collector its trace is passed on, but not recorded. */
export interface ActiveSpan extends TraceParent {
  readonly collector?: SpanCollector | undefined;
  /** Whether the trace was begun elsewhere: then its id means something to somebody. */
  readonly isRemote?: boolean | undefined;
}

const active = new AsyncLocalStorage<ActiveSpan>();

export const currentSpan = (): ActiveSpan | undefined => active.getStore();

/** The header that carries the trace on to another process. */
export const currentTraceparent = (): string | undefined => {
  const span = active.getStore();
  return span && writeTraceparent(span);
};

/** Does work as part of a span that somebody else ends. */
export const within = <T>(span: ActiveSpan, work: () => T): T => active.run(span, work);

/** The id that links what is stored to its trace, where the trace is recorded here or elsewhere. */
export const currentTraceId = (): string | undefined => {
  const span = active.getStore();
  return span && (span.collector !== undefined || span.isRemote) ? span.traceId : undefined;
};

/** Does work as a span of its own below the current one; without a recorded trace it only does the work. */
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

/** Begins a span below the current one; undefined without a recorded trace. */
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
