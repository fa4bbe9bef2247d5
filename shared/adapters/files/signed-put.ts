import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '../../kernel/errors.ts';
import { putHeaders, type SignPut } from '../../uploads/request-upload.ts';

interface Options {
  readonly secret: Uint8Array;
  /** Where this machine answers; known once it listens. */
  readonly base: () => string;
  readonly now: () => number;
}

/** Signs upload URLs of this machine, as S3 does: path, type, size and expiry are part of the signature. */
export const localSignPut =
  ({ secret, base, now }: Options): SignPut =>
  async (path, { contentType, size, seconds }) => {
    const expires = Math.floor(now() / 1000) + seconds;
    const signature = sign(secret, path, contentType, size, expires);
    const query = new URLSearchParams({ expires: String(expires) });
    if (size !== undefined) query.set('size', String(size));
    query.set('signature', signature);
    return {
      url: `${base()}/uploads/${path}?${query}`,
      headers: putHeaders(contentType, size),
      expires_at: new Date(expires * 1000).toISOString(),
    };
  };

export interface PresentedPut {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly contentType: string | undefined;
}

/** Refuses a URL that was altered, has expired, or is used with another type; returns its size. */
export const checkSignedPut = (
  secret: Uint8Array,
  { path, query, contentType = '' }: PresentedPut,
  now: number,
): number | undefined => {
  const size = query.size === undefined ? undefined : Number(query.size);
  const expected = Buffer.from(sign(secret, path, contentType, size, Number(query.expires)));
  const given = Buffer.from(query.signature ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Fault(
      'Forbidden',
      'the signature does not fit; put the picture at the url as it was given, with exactly its headers',
    );
  if (Number(query.expires) * 1000 <= now)
    throw new Fault('Forbidden', 'the url is past its time; ask for a new one by POST /v1/uploads');
  return size;
};

const sign = (
  secret: Uint8Array,
  path: string,
  contentType: string,
  size: number | undefined,
  expires: number,
): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify([path, contentType, size ?? null, expires]))
    .digest('base64url');
