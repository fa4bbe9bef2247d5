import type { IncomingMessage } from 'node:http';
import { type Duplex, pipeline, Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Fault } from '../../kernel/errors.ts';
import type { FetchLimits } from '../../kernel/safe-fetch.ts';
import type { Deadline } from './deadline.ts';

interface Asked {
  readonly url: URL;
  readonly method: string;
  readonly limits: FetchLimits;
  readonly deadline: Deadline;
}

/** A response like that of fetch, with its decompressed size limited, and without cookies. */
export const readAnswer = async (
  answer: IncomingMessage,
  { url, method, limits, deadline }: Asked,
): Promise<Response> => {
  deadline.answered();
  const { statusCode: status = 0 } = answer;
  const encoding = answer.headers['content-encoding'];
  const headers = readHeaders(answer, encoding !== undefined);
  if (!(status >= 200 && status < 600))
    throw new Fault('Unavailable', `${url.host} answers with the status ${status}`, { host: url.host });
  if (method === 'HEAD' || status === 204 || status === 205 || status === 304) {
    // Node reads no body of these, except of 205, where one could go on for ever.
    if (status === 205) answer.destroy();
    else answer.resume();
    deadline.end();
    return new Response(null, { status, headers });
  }
  if (encoding === undefined && Number(answer.headers['content-length']) > limits.maxBytes)
    throw tooLarge(url, limits.maxBytes);
  if (isShort(answer, encoding)) {
    const body = await readWhole(answer);
    deadline.end();
    return new Response(body, { status, headers });
  }
  const body = bounded(url, limits.maxBytes);
  const decoder = chooseDecoder(encoding, url);
  const ended = (): void => deadline.end();
  if (decoder) pipeline(answer, decoder, body, ended);
  else pipeline(answer, body, ended);
  // The connection's own error does not mention the timeout.
  deadline.signal.addEventListener('abort', () => body.destroy(deadline.faultOf(deadline.signal.reason) as Error), {
    once: true,
  });
  return new Response(Readable.toWeb(body) as ReadableStream, { status, headers });
};

const readHeaders = ({ rawHeaders }: IncomingMessage, wasEncoded: boolean): Headers => {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (name === 'set-cookie' || (wasEncoded && (name === 'content-encoding' || name === 'content-length'))) continue;
    headers.append(name, rawHeaders[at + 1] ?? '');
  }
  return headers;
};

/** A short response of known length is read at once: creating streams would cost more. */
const SHORT_BYTES = 65_536;

const isShort = ({ headers }: IncomingMessage, encoding: string | undefined): boolean =>
  encoding === undefined && Number(headers['content-length'] ?? Number.NaN) <= SHORT_BYTES;

const readWhole = (answer: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part));
    answer.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    answer.on('error', reject);
  });

const chooseDecoder = (encoding: string | undefined, url: URL): Duplex | undefined => {
  if (encoding === undefined || encoding === 'identity') return undefined;
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw new Fault(
    'Unavailable',
    `${url.host} answers in the encoding ${encoding.slice(0, 40)}, which was not asked for`,
  );
};

const bounded = (url: URL, most: number): Transform => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.byteLength;
      if (bytes > most) done(tooLarge(url, most));
      else done(null, chunk);
    },
  });
};

const tooLarge = ({ host }: URL, limit: number): Fault =>
  new Fault('Unavailable', `${host} answers more than ${limit} bytes`, { host, limit });
