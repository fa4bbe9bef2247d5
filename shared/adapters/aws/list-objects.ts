import { createHash } from 'node:crypto';
import { type AwsAccess, awsClient, hostOf } from './aws-client.ts';
import { boundsOf } from './client-settings.ts';
import { s3Fault } from './s3-failures.ts';
import type { Answered } from './send-text.ts';

interface Options extends AwsAccess {
  readonly bucket: string;
  /** Overrides the address of the service. */
  readonly endpoint?: string | undefined;
  /** Keys per page; S3 returns at most 1,000. */
  readonly pageSize?: number;
}

const NOTHING = createHash('sha256').digest('hex');

/** Lists the keys of a bucket with a prefix, without the SDK, because every function with tools lists the models. */
export const listObjects = ({ bucket, endpoint, region, credentials, pageSize = 1000 }: Options) => {
  const send = awsClient({
    service: 's3',
    region,
    credentials,
    url: new URL(endpoint ?? `https://s3.${hostOf(region)}`),
    bounds: boundsOf('lists'),
    read: (text) => text,
    refusalOf: xmlRefusal,
  });
  const page = (query: string): Promise<string> =>
    send({
      method: 'GET',
      path: `/${bucket}`,
      query,
      headers: { 'x-amz-content-sha256': NOTHING },
      body: '',
    }).catch((thrown: unknown) => Promise.reject(s3Fault(thrown, bucket)));
  return async (prefix: string): Promise<readonly string[]> => {
    const keys: string[] = [];
    let next: string | undefined;
    do {
      const token = next === undefined ? '' : `continuation-token=${encoded(next)}&`;
      const text = await page(`${token}list-type=2&max-keys=${pageSize}&prefix=${encoded(prefix)}`);
      keys.push(...fieldsOf(text, 'Key'));
      next = fieldsOf(text, 'NextContinuationToken')[0];
    } while (next !== undefined);
    return keys;
  };
};

const xmlRefusal = ({ status, text }: Answered): Error => {
  const [name = `Status${status}`, message = name] = [fieldsOf(text, 'Code')[0], fieldsOf(text, 'Message')[0]];
  return Object.assign(new Error(message), { name, status });
};

// As Signature Version 4 requires.
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The texts of the elements of a name, in order. */
const fieldsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) =>
    text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, word) =>
      hex !== undefined || decimal !== undefined
        ? String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
        : (ENTITIES[word] ?? whole),
    ),
  );

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
