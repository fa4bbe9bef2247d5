import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecure } from 'node:https';
import { text } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

interface Access {
  readonly region: string;
  readonly credentials: Credentials;
  /** The day's signing keys, so that each is derived once. */
  readonly cache: Map<string, ArrayBuffer>;
}

const TIMEOUT_MS = 2000;

/** The text of an S3 object; undefined when there is none. */
export const readObject = async (
  address: string,
  { region, credentials, cache }: Access,
): Promise<string | undefined> => {
  const signer = new AwsV4Signer({ url: address, service: 's3', region, cache, ...credentials });
  const { url, headers } = await signer.sign();
  const response = await send(url, Object.fromEntries(headers));
  const body = await text(response);
  const status = response.statusCode ?? 0;
  // Without permission to list, S3 answers 403 for a missing object.
  if (status === 404 || status === 403) return undefined;
  if (status !== 200) throw new Error(`S3 answered ${status} for ${url.pathname}`);
  return body;
};

// Not fetch: loading it takes longer than everything else before the first answer.
const send = (url: URL, headers: Record<string, string>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const get = url.protocol === 'https:' ? getSecure : getPlain;
    const request = get(url, { headers, timeout: TIMEOUT_MS }, resolve);
    request.on('timeout', () => request.destroy(new Error(`S3 did not answer within ${TIMEOUT_MS} ms`)));
    request.on('error', reject);
  });
