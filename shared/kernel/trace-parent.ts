/** The caller's span, as in W3C's `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the id of the parent span. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;

/** Reads `traceparent`; undefined where the W3C recommendation says to ignore it. */
export const readTraceparent = (header: string | undefined): TraceParent | undefined => {
  if (header === undefined || header.length > 128) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(header) ?? [];
  if (version === undefined || version === 'ff' || traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  // Later versions may append fields; this one may not.
  if (version === '00' && rest !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
};

export const writeTraceparent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

const AMAZON = /^[0-9a-f]{8}-[0-9a-f]{24}$/;

/** Reads `x-amzn-trace-id`, as AWS load balancers and API Gateway send it: `Root=1-...;Parent=...;Sampled=1`. */
export const readAmazonTrace = (header: string | undefined): TraceParent | undefined => {
  if (header === undefined || header.length > 512) return undefined;
  const parts = new Map(header.split(';').map((part) => part.trim().split('=', 2) as [string, string | undefined]));
  const root = parts.get('Root')?.replace(/^1-/, '') ?? '';
  const spanId = parts.get('Parent') ?? '';
  if (!AMAZON.test(root) || !/^[0-9a-f]{16}$/.test(spanId)) return undefined;
  return { traceId: root.replace('-', ''), spanId, isSampled: parts.get('Sampled') === '1' };
};
