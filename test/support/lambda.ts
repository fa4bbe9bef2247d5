import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/** The delimiter that the runtime writes after the head of a streamed answer. */
const DELIMITER = Buffer.alloc(8);

interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
}

/** A streamed answer as the function URL's client sees it. */
export interface Streamed extends Head {
  readonly body: Buffer;
  /** The number of chunks of the body. */
  readonly pieces: number;
}

class AnswerStream extends Writable {
  readonly written: Buffer[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (chunk.length > 0) this.written.push(chunk);
    done();
  }
}

type StreamHandler = (event: unknown, stream: AnswerStream, context: LambdaContext) => Promise<void>;

/** Installs the globals that Lambda's runtime provides. */
export const installRuntime = (): void => {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: StreamHandler) => handler,
      HttpResponseStream: {
        /** The head is sent with the first `write`, and never with `end` alone. */
        from(stream: AnswerStream, head: Head): AnswerStream {
          const write: AnswerStream['write'] = stream.write.bind(stream);
          stream.write = (chunk: unknown) => {
            Object.assign(stream, { write });
            write(JSON.stringify(head));
            write(DELIMITER);
            return write(chunk);
          };
          return stream;
        },
      },
    },
  });
};

interface LambdaContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): number;
}

export const lambdaContext = (): LambdaContext => ({
  awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
  functionName: 'assay',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 30_000,
});

let loaded = 0;

/** Loads a bundle's handler as a new environment would. */
export const loadHandler = async <Handler>(folder: string): Promise<Handler> => {
  installRuntime();
  const { href } = pathToFileURL(`${folder}/index.mjs`);
  const { handler } = (await import(`${href}?start=${loaded++}`)) as { handler: Handler };
  return handler;
};

/** Calls a streaming handler and parses its answer into head and body. */
export const callStreaming = async (handler: StreamHandler, event: unknown): Promise<Streamed> => {
  const stream = new AnswerStream();
  await handler(event, stream, lambdaContext());
  const all = Buffer.concat(stream.written);
  const at = all.indexOf(DELIMITER);
  const head = JSON.parse(all.subarray(0, at).toString()) as Head;
  return { ...head, body: all.subarray(at + DELIMITER.length), pieces: stream.written.length - 2 };
};

interface UrlRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A function URL's request event (payload format 2.0). */
export const urlEvent = ({ method = 'GET', path = '/', query = '', headers = {}, body }: UrlRequest): unknown => {
  const host = 'abcdefghij0123456789klmnopqrstuv.lambda-url.us-east-1.on.aws';
  const isBase64Encoded = body instanceof Uint8Array;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: {
      host,
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '443',
      'x-amzn-trace-id': 'Root=1-67e5a5a1-5a1b2c3d4e5f6a7b8c9d0e1f',
      via: '2.0 0123456789abcdef.cloudfront.net (CloudFront)',
      'user-agent': 'Amazon CloudFront',
      ...headers,
    },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'abcdefghij0123456789klmnopqrstuv',
      domainName: host,
      domainPrefix: 'abcdefghij0123456789klmnopqrstuv',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'Amazon CloudFront' },
      requestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd',
      routeKey: '$default',
      stage: '$default',
      time: '27/Nov/2026:10:00:00 +0000',
      timeEpoch: 1795773600000,
    },
    ...(body === undefined ? {} : { body: isBase64Encoded ? Buffer.from(body).toString('base64') : body }),
    isBase64Encoded,
  };
};
