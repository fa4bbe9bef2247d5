import * as z from 'zod';
import { stored } from '../kernel/stored.ts';
import type { Span } from '../kernel/trace.ts';

/** A span as stored: with short names, because a trace has many. Times are in microseconds since 1970. */
const StoredSpan = z.object({
  i: z.string(),
  p: z.string().optional(),
  n: z.string(),
  k: z.enum(['internal', 'server', 'client', 'consumer']),
  s: z.number(),
  d: z.number(),
  a: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  e: z.string().optional(),
});
type StoredSpan = Readonly<z.infer<typeof StoredSpan>>;

const TraceSpans = z.object({ spans: z.array(StoredSpan) });

/** The spans that one process recorded below one entry point. */
export const TraceItem = stored({ what: 'trace', schema: TraceSpans });

export const toStoredSpan = ({ id, parentId, name, kind, startUs, endUs, attributes, error }: Span): StoredSpan => ({
  i: id,
  p: parentId,
  n: name,
  k: kind,
  s: startUs,
  d: endUs - startUs,
  a: Object.keys(attributes).length === 0 ? undefined : { ...attributes },
  e: error,
});

export const readStoredSpan = ({ i, p, n, k, s, d, a = {}, e }: StoredSpan): Span => ({
  id: i,
  parentId: p,
  name: n,
  kind: k,
  startUs: s,
  endUs: s + d,
  attributes: a,
  error: e,
});
