import { createHash, createHmac } from 'node:crypto';
import type { Credentials } from './aws-client.ts';

export interface SignedRequest {
  /** POST to the root by default. */
  readonly method?: 'GET' | 'POST';
  /** Encoded. */
  readonly path?: string;
  /** Encoded, sorted by name. */
  readonly query?: string;
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** Besides `host`, with lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly credentials: Credentials;
  readonly now: number;
}

/** The headers of a request, signed by AWS Signature Version 4. */
export const signRequest = (request: SignedRequest): Readonly<Record<string, string>> => {
  const { method = 'POST', path = '/', query = '', service, region, host, body, credentials, now } = request;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const token = credentials.sessionToken;
  const headers: Record<string, string> = { ...request.headers, host, 'x-amz-date': time };
  if (token !== undefined) headers['x-amz-security-token'] = token;
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    service === 's3' ? path : encodedAgain(path),
    query,
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    '',
    names.join(';'),
    digest(body),
  ].join('\n');
  const key = [time.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, text) => createHmac('sha256', secret).update(text).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = createHmac('sha256', key)
    .update(['AWS4-HMAC-SHA256', time, scope, digest(canonical)].join('\n'))
    .digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
};

// All services but S3 sign a path encoded twice.
const encodedAgain = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
