import { hash, timingSafeEqual } from 'node:crypto';

/** A key is `ak_<id>_<secret><checksum>`: the checksum refuses a mistyped key without a read. */
const SHAPE = /^ak_([a-z0-9]{8,32})_([A-Za-z0-9_-]{32})([A-Za-z0-9_-]{6})$/;

/** Formats a new key from 24 random bytes. */
export const formatKey = (id: string, random: Uint8Array): string => {
  const secret = Buffer.from(random).toString('base64url');
  return `ak_${id}_${secret}${computeChecksum(id, secret)}`;
};

/** The id in a presented key; undefined when it is malformed. */
export const parseKeyId = (text: string): string | undefined => SHAPE.exec(text)?.[1];

/** Whether the key's checksum is right. */
export const hasValidChecksum = (text: string): boolean => {
  const [, id = '', secret = '', check] = SHAPE.exec(text) ?? [];
  return check === computeChecksum(id, secret);
};

export const digestOfKey = (text: string): string => hash('sha256', text, 'hex');

/** Compares two digests in constant time. */
export const sameDigest = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));

const computeChecksum = (id: string, secret: string): string =>
  hash('sha256', `${id}:${secret}`, 'base64url').slice(0, 6);
