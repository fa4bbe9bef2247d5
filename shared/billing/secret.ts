import { hash, timingSafeEqual } from 'node:crypto';

/** A key is `ak_<id>_<secret><check>`: the check refuses a mistyped key without asking the store. */
export interface PresentedKey {
  readonly id: string;
  readonly digest: string;
}

const SHAPE = /^ak_([a-z0-9]{8,32})_([A-Za-z0-9_-]{32})([A-Za-z0-9_-]{6})$/;

/** Writes the text of a new key from 24 random bytes. */
export const writeKey = (id: string, random: Uint8Array): string => {
  const secret = Buffer.from(random).toString('base64url');
  return `ak_${id}_${secret}${checkOf(id, secret)}`;
};

/** Reads a presented key; undefined when it cannot be one of ours. */
export const readKey = (text: string): PresentedKey | undefined => {
  const [, id, secret, check] = SHAPE.exec(text) ?? [];
  if (id === undefined || secret === undefined || check !== checkOf(id, secret)) return undefined;
  return { id, digest: digestOfKey(text) };
};

export const digestOfKey = (text: string): string => hash('sha256', text, 'hex');

/** Compares two digests in a time that does not depend on where they differ. */
export const sameDigest = (a: string, b: string): boolean => {
  const left = Buffer.from(a, 'hex');
  const right = Buffer.from(b, 'hex');
  return left.length === right.length && left.length > 0 && timingSafeEqual(left, right);
};

const checkOf = (id: string, secret: string): string => hash('sha256', `${id}:${secret}`, 'base64url').slice(0, 6);
