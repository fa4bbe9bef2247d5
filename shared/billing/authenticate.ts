import { Fault } from '../errors.ts';
import type { Actor, ApiKey, Scope } from '../model/key.ts';
import type { Clock, Table } from '../ports.ts';
import { findKey } from './keys.ts';
import { digestOfKey, readKey, sameDigest } from './secret.ts';

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
  const seen = new Map<string, { readonly key: ApiKey; readonly actor: Actor; readonly at: number }>();

  const look = async (id: string, digest: string): Promise<Actor> => {
    const key = await findKey(table, id);
    if (!key) throw unknownKey();
    const actor = actorOf(key);
    if (seen.size >= MAX_KEPT) seen.clear();
    seen.set(id, { key, actor, at: clock.now() });
    return admit(key, actor, digest, clock.now());
  };

  const authenticate = (text: string | undefined): Actor | Promise<Actor> => {
    if (text === undefined || text === '')
      throw new Fault('Unauthenticated', 'this call needs a key: send Authorization: Bearer <key> or X-Api-Key');
    if (adminDigest !== undefined && sameDigest(digestOfKey(text), adminDigest)) return fixedAdmin;
    const presented = readKey(text);
    if (!presented) throw unknownKey();
    const known = seen.get(presented.id);
    if (known && clock.now() - known.at < keptMs) return admit(known.key, known.actor, presented.digest, clock.now());
    return look(presented.id, presented.digest);
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

const admit = (key: ApiKey, actor: Actor, digest: string, now: number): Actor => {
  if (!sameDigest(digest, key.digest)) throw unknownKey();
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
