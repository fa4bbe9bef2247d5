import { Fault } from '../kernel/errors.ts';
import type { Actor, ApiKey } from '../model/key.ts';
import { sameDigest } from './secret.ts';

/** A stored key, ready for comparison. */
export interface KnownKey {
  readonly key: ApiKey;
  readonly actor: Actor;
}

export const knownKey = (key: ApiKey): KnownKey => ({
  key,
  actor: {
    keyId: key.id,
    tenant: key.tenant,
    scopes: new Set(key.scopes),
    tools: key.tools && new Set(key.tools),
    key,
  },
});

/** Authenticates a key by its digest; refuses a wrong, revoked or expired one. */
export const admit = (known: KnownKey, digest: string, now: number): Actor => {
  if (!sameDigest(digest, known.key.digest)) throw unknownKey();
  return requireActive(known, now);
};

/** The actor of a key whose digest has been compared; refuses a revoked or expired one. */
export const requireActive = ({ key, actor }: KnownKey, now: number): Actor => {
  if (key.revoked_at !== undefined)
    throw new Fault('Unauthenticated', `the key ${key.id} was revoked; ask for a new one`);
  if (key.expires_at !== undefined && Date.parse(key.expires_at) <= now)
    throw new Fault('Unauthenticated', `the key ${key.id} expired at ${key.expires_at}; ask for a new one`);
  return actor;
};

const BEARER = 'Bearer '.length;

/** Reads the key from a request's headers. */
export const presentedKey = (authorization: string | undefined, apiKey: string | undefined): string | undefined => {
  if (authorization === undefined) return apiKey;
  if (authorization.startsWith('Bearer ')) return authorization.slice(BEARER).trimStart();
  return authorization.slice(0, BEARER).toLowerCase() === 'bearer '
    ? authorization.slice(BEARER).trimStart()
    : undefined;
};

export const missingKey = (): Fault =>
  new Fault('Unauthenticated', 'this call needs a key: send Authorization: Bearer <key> or X-Api-Key');

// The same message for an unknown id and a wrong secret, so that ids cannot be enumerated.
export const unknownKey = (): Fault =>
  new Fault('Unauthenticated', 'this key is not known; check that it was copied whole');
