import type { CloudFrontEdgeEvent, CloudFrontRequest } from 'hono/lambda-edge';
import { createEdgeHandler, type EdgeHandler } from '../../functions/edge/handler.ts';
import { createEdgeStore, type ReadJson } from '../../functions/edge/store.ts';
import type { Blobs } from '../../shared/kernel/ports.ts';

export type Headers = Readonly<Record<string, string>>;

const asCloudFront = (headers: Headers): CloudFrontRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), [{ key, value }]]));

/** The event that CloudFront passes to an origin-request function. */
export const edgeEvent = (
  path: string,
  headers: Headers,
  { method = 'GET', custom = { 'x-assay-bucket': 'published', 'x-assay-region': 'eu-central-1' } as Headers } = {},
): CloudFrontEdgeEvent => {
  const at = path.indexOf('?');
  const origin = {
    custom: {
      customHeaders: asCloudFront(custom),
      domainName: 'origin.example',
      keepaliveTimeout: 5,
      path: '',
      port: 443,
      protocol: 'https',
      readTimeout: 30,
      sslProtocols: ['TLSv1.2'],
    },
  };
  const request: CloudFrontRequest = {
    clientIp: '203.0.113.1',
    headers: asCloudFront({ host: 'origin.example', ...headers }),
    method,
    uri: at < 0 ? path : path.slice(0, at),
    querystring: at < 0 ? '' : path.slice(at + 1),
    origin,
  };
  const config = {
    distributionDomainName: 'd.cloudfront.net',
    distributionId: 'D',
    eventType: 'origin-request',
    requestId: 'r',
  };
  return { Records: [{ cf: { config, request } }] };
};

/** The result of the edge: its own answer, or the request as passed on to the origin. */
export interface EdgeOutcome {
  readonly passed?: CloudFrontRequest;
  readonly status?: number;
  readonly body?: string;
  readonly headers: Headers;
}

export const callEdge = async (handler: EdgeHandler, event: CloudFrontEdgeEvent): Promise<EdgeOutcome> => {
  const result = (await handler(event)) as Record<string, unknown>;
  if ('uri' in result) return { passed: result as unknown as CloudFrontRequest, headers: {} };
  const headers = (result.headers ?? {}) as CloudFrontRequest['headers'];
  return {
    status: Number(result.status),
    body: String(result.body ?? ''),
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values[0]?.value ?? ''])),
  };
};

/** The edge, reading published files from the given store, with a clock that the test controls. */
export const edgeOn = (
  blobs: Blobs,
  clock: { ms: number },
): { readonly handler: EdgeHandler; readonly reads: string[] } => {
  const reads: string[] = [];
  const read: ReadJson = async <T>(key: string) => {
    reads.push(key);
    const bytes = await blobs.get(key);
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as T);
  };
  const store = createEdgeStore({ read, now: () => clock.ms });
  return { handler: createEdgeHandler(() => store), reads };
};
