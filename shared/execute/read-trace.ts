import { tracePk } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { readAll } from '../kernel/stored.ts';
import type { Span, SpanAttributes } from '../kernel/trace.ts';
import type { Actor } from '../model/key.ts';
import { readExecution } from './executions.ts';
import { readStoredSpan, TraceItem } from './trace-item.ts';

/** A span with its children, in the order in which they started. */
export interface SpanNode {
  readonly span_id: string;
  readonly parent_id?: string | undefined;
  readonly name: string;
  readonly kind: Span['kind'];
  /** Milliseconds since the first span of the trace began. */
  readonly start_ms: number;
  readonly duration_ms: number;
  /** The code of the error it ended with. */
  readonly error?: string | undefined;
  readonly attributes: SpanAttributes;
  readonly children: readonly SpanNode[];
}

/** The trace of a call. */
export interface CallTrace {
  readonly call_id: string;
  readonly trace_id?: string | undefined;
  /** Whether spans are stored here; if not, look up `trace_id` where traces are sent. */
  readonly kept: boolean;
  readonly started_at?: string | undefined;
  readonly duration_ms?: number | undefined;
  /** The span of the call itself. */
  readonly span_id?: string | undefined;
  readonly spans: readonly SpanNode[];
}

const MAX_SEGMENTS = 200;

/** The spans of the trace in which a call ran, as trees. A confined key sees only those of the call. */
export const readTrace = async (context: { readonly table: Table }, actor: Actor, id: string): Promise<CallTrace> => {
  const { call_id, trace_id } = await readExecution(context, actor, id);
  const spans = trace_id === undefined ? [] : await loadSpans(context.table, actor.tenant, trace_id);
  const own = spans.find(({ attributes }) => attributes.call_id === call_id);
  const shown = actor.tools === undefined ? spans : spansBelow(spans, own);
  if (shown.length === 0) return { call_id, trace_id, kept: false, spans: [] };
  const startUs = Math.min(...shown.map((span) => span.startUs));
  const endUs = Math.max(...shown.map((span) => span.endUs));
  return {
    call_id,
    trace_id,
    kept: true,
    started_at: new Date(startUs / 1000).toISOString(),
    duration_ms: toMs(endUs - startUs),
    span_id: own?.id,
    spans: toTrees(shown, startUs),
  };
};

const loadSpans = async (table: Table, tenant: string, traceId: string): Promise<readonly Span[]> => {
  const { items } = await table.query(tracePk(tenant, traceId), { limit: MAX_SEGMENTS });
  return readAll(items, TraceItem).flatMap(({ spans }) => spans.map(readStoredSpan));
};

const spansBelow = (spans: readonly Span[], top: Span | undefined): readonly Span[] => {
  if (top === undefined) return [];
  const below = Map.groupBy(spans, ({ parentId }) => parentId);
  const found: Span[] = [top];
  for (const span of found) found.push(...(below.get(span.id) ?? []));
  return found;
};

/** A span whose parent is unknown here, such as a caller's, is the root of a tree. */
const toTrees = (spans: readonly Span[], startUs: number): readonly SpanNode[] => {
  const known = new Set(spans.map(({ id }) => id));
  const knownParent = ({ parentId }: Span): string | undefined =>
    parentId !== undefined && known.has(parentId) ? parentId : undefined;
  const byParent = Map.groupBy(
    spans.toSorted((a, b) => a.startUs - b.startUs),
    knownParent,
  );
  const nodes = (parent: string | undefined): readonly SpanNode[] =>
    (byParent.get(parent) ?? []).map((span) => ({
      span_id: span.id,
      parent_id: span.parentId,
      name: span.name,
      kind: span.kind,
      start_ms: toMs(span.startUs - startUs),
      duration_ms: toMs(span.endUs - span.startUs),
      error: span.error,
      attributes: span.attributes,
      children: nodes(span.id),
    }));
  return nodes(undefined);
};

const toMs = (microseconds: number): number => Math.round(microseconds) / 1000;
