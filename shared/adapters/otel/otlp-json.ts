import type { Span, SpanAttributes, SpanKind, TraceSegment } from '../../kernel/trace.ts';

/** The body of `POST /v1/traces`: OTLP's JSON encoding, which writes 64-bit integers as text. */
export const toOtlpJson = (resource: SpanAttributes, segments: readonly Pick<TraceSegment, 'traceId' | 'spans'>[]) => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes(resource) },
      scopeSpans: [
        {
          scope: { name: 'assay' },
          spans: segments.flatMap(({ traceId, spans }) => spans.map((span) => toOtlpSpan(traceId, span))),
        },
      ],
    },
  ],
});

const toOtlpSpan = (traceId: string, { id, parentId, name, kind, startUs, endUs, attributes, error }: Span) => ({
  traceId,
  spanId: id,
  parentSpanId: parentId,
  name,
  kind: KINDS[kind],
  startTimeUnixNano: `${startUs}000`,
  endTimeUnixNano: `${endUs}000`,
  attributes: toAttributes(attributes),
  status: { code: error === undefined ? undefined : ERROR, message: error },
});

const ERROR = 2;
const KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const satisfies Record<SpanKind, number>;

const toAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));

const toValue = (value: string | number | boolean) => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};
