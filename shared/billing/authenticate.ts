import { Fault } from '../errors.ts';
import type { Actor, ApiKey, Scope } from '../model/key.ts';
import type { Clock, Table } from '../ports.ts';
import { findKey } from './keys.ts';
import { digestOfKey, idOfKey, isWhole, sameDigest } from './secret.ts';

export interface Authenticator {
  /** Who presents this key; no promise when the key was seen within the last second. */
  (text: string | undefined): Actor | Promise<Actor>;
  /** After a revocation by this process. */
  forget(id: string): void;
}

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  /** The digest of the admin key that the operator fixed. */
  readonly adminDigest?: string;
  readonly keptMs?: number;
}

const MAX_KEPT = 10_000;

export const createAuthenticator = ({ table, clock, adminDigest, keptMs = 1000 }: Options): Authenticator => {
  const seen = new Map<string, Seen>();
  const admin = adminDigest === undefined ? undefined : Buffer.from(adminDigest, 'hex');

  const look = async (id: string, digest: Buffer): Promise<Actor> => {
    const key = await findKey(table, id);
    if (!key) throw unknownKey();
    const found = { key, digest: Buffer.from(key.digest, 'hex'), actor: actorOf(key), at: clock.now() };
    if (seen.size >= MAX_KEPT) seen.clear();
    seen.set(id, found);
    return admit(found, digest, clock.now());
  };

  const authenticate = (text: string | undefined): Actor | Promise<Actor> => {
    if (text === undefined || text === '')
      throw new Fault('Unauthenticated', 'this call needs a key: send Authorization: Bearer <key> or X-Api-Key');
    const digest = digestOfKey(text);
    if (admin !== undefined && sameDigest(digest, admin)) return fixedAdmin;
    const id = idOfKey(text);
    if (id === undefined) throw unknownKey();
    const known = seen.get(id);
    if (known && clock.now() - known.at < keptMs) return admit(known, digest, clock.now());
    if (!isWhole(text)) throw unknownKey();
    return look(id, digest);
  };
  return Object.assign(authenticate, { forget: (id: string) => void seen.delete(id) });
};

const fixedAdmin: Actor = { keyId: 'admin', tenant: 'default', scopes: new Set<Scope>(['admin']) };

const actorOf = (key: ApiKey): Actor => ({
  keyId: key.id,
  tenant: key.tenant,
  scopes: new Set(key.scopes),
  ...(key.tools === undefined ? {} : { tools: new Set(key.tools) }),
  key,
});

interface Seen {
  readonly key: ApiKey;
  readonly digest: Buffer;
  readonly actor: Actor;
  readonly at: number;
}

const admit = ({ key, actor, ...seen }: Seen, digest: Buffer, now: number): Actor => {
  if (!sameDigest(digest, seen.digest)) throw unknownKey();
  if (key.revoked_at !== undefined)
    throw new Fault('Unauthenticated', `the key ${key.id} was revoked; ask for a new one`);
  if (key.expires_at !== undefined && Date.parse(key.expires_at) <= now)
    throw new Fault('Unauthenticated', `the key ${key.id} expired at ${key.expires_at}; ask for a new one`);
  return actor;
};

// One sentence for an unknown id and a wrong secret, so that ids cannot be tried out.
const unknownKey = (): Fault => new Fault('Unauthenticated', 'this key is not known; check that it was copied whole');

/** Refuses an actor that lacks a scope, naming the one it needs. */
export const requireScope = (actor: Actor, scope: Scope): void => {
  if (actor.scopes.has(scope) || actor.scopes.has('admin')) return;
  throw new Fault('Forbidden', `this key has the scopes ${[...actor.scopes].join(', ')}; this call needs ${scope}`, {
    scope,
    scopes: [...actor.scopes],
  });
};
