import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PlainHeaders } from './plain-headers.ts';
import { PlainRequest } from './plain-request.ts';
import { PlainResponse } from './plain-response.ts';

/** A request as a function URL sends it (payload format 2.0). */
export interface UrlEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
}

interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

type StreamHandler = (event: UrlEvent, stream: Writable, context: unknown) => Promise<void>;

/** The globals of Lambda's runtime. */
interface Runtime {
  streamifyResponse(handler: StreamHandler): StreamHandler;
  readonly HttpResponseStream: { from(stream: Writable, head: Head): Writable };
}

interface Bindings {
  readonly event: UrlEvent;
  readonly requestContext: UrlEvent['requestContext'];
  readonly context: { readonly awsRequestId: string };
}

type Fetch = (request: Request, env: Bindings) => Response | Promise<Response>;

/**
 * The handler of a streaming function URL. It does what `hono/aws-lambda` does for such URLs, with requests and
 * responses that do not load fetch.
 */
export const streamHandler = (fetch: Fetch): StreamHandler => {
  const { streamifyResponse, HttpResponseStream } = (globalThis as unknown as { readonly awslambda: Runtime })
    .awslambda;
  return streamifyResponse(async (event, stream, context) => {
    const { requestContext } = event;
    const response = await fetch(requestOf(event), {
      event,
      requestContext,
      context: context as Bindings['context'],
    });
    await write(HttpResponseStream.from(stream, toHead(response)), response);
  });
};

const requestOf = (event: UrlEvent): Request => {
  const { domainName, http } = event.requestContext;
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const headers = new PlainHeaders();
  if (event.cookies) headers.set('cookie', event.cookies.join('; '));
  for (const [name, value] of Object.entries(event.headers ?? {})) if (value) headers.set(name, inAscii(value));
  const body = event.body ? Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8') : undefined;
  if (body) headers.set('content-length', String(body.length));
  const { href } = new URL(`https://${domainName}${event.rawPath}${query}`);
  return new PlainRequest({ url: href, method: http.method, headers, body }) as unknown as Request;
};

const inAscii = (value: string): string => (/[^\0-\x7f]/.test(value) ? encodeURIComponent(value) : value);

const toHead = ({ status, headers }: Response): Head => ({
  statusCode: status,
  headers: Object.fromEntries([...headers].filter(([name]) => name !== 'set-cookie')),
  cookies: headers.getSetCookie(),
});

const write = async (stream: Writable, response: Response): Promise<void> => {
  const whole = PlainResponse.bodyOf(response);
  const body = whole === undefined ? response.body : null;
  // Lambda's runtime sends the head with the first write, even an empty one; `end` alone would omit it.
  stream.write(whole ?? '');
  if (body) await pipeline(body, stream);
  else stream.end();
};
