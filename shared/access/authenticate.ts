import type { Clock, Table } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import type { AdminKey } from './admin-key.ts';
import { type KnownKey, knownKey, missingKey, requireActive, unknownKey } from './admit.ts';
import { findKey } from './api-keys.ts';
import { adminActor } from './scopes.ts';
import { digestOfKey, hasValidChecksum, parseKeyId, sameDigest } from './secret.ts';
import { looksLikeToken, type VerifyToken } from './token-actor.ts';

export { requireScope } from './scopes.ts';

export interface Authenticator {
  /** Returns the actor of a key; synchronous when the key was seen within the last second. */
  (text: string | undefined): Actor | Promise<Actor>;
  /** Drops a key from the cache after this process revoked it. */
  forget(id: string): void;
}

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  /** The operator's admin key. */
  readonly adminKey?: AdminKey | undefined;
  /** Verifies access tokens, where issuers are configured. */
  readonly verifyToken?: VerifyToken | undefined;
  readonly keptMs?: number;
}

interface SeenKey extends KnownKey {
  /** When it was read. */
  readonly at: number;
}

const MAX_KEPT = 10_000;

export const createAuthenticator = ({ table, clock, adminKey, verifyToken, keptMs = 1000 }: Options): Authenticator => {
  const seen = new Map<string, SeenKey>();
  // Hashing is most of the cost of authenticating, so a key that passed is found by its text for a second. A Map
  // compares hashes that are seeded per process, so its timing reveals nothing about a key.
  const verified = new Map<string, SeenKey>();
  // The operator's key may be revoked at any moment, so it is compared each time, with a cached digest.
  const adminDigests = new Map<string, string>();

  const passed = (text: string, known: SeenKey, now: number): Actor => {
    if (verified.size >= MAX_KEPT) verified.clear();
    verified.set(text, known);
    return requireActive(known, now);
  };

  /** A key that is not in the table can only be the operator's. */
  const adminOnly = (digest: string): Actor | Promise<Actor> => {
    if (!adminKey?.check) throw unknownKey();
    return adminKey.check(digest).then((isAdmin) => {
      if (!isAdmin) throw unknownKey();
      return fixedAdmin;
    });
  };

  const look = async (id: string, text: string, digest: string): Promise<Actor> => {
    const key = await findKey(table, id);
    if (!key) return adminOnly(digest);
    const found = { ...knownKey(key), at: clock.now() };
    if (seen.size >= MAX_KEPT) seen.clear();
    seen.set(id, found);
    if (!sameDigest(digest, key.digest)) throw unknownKey();
    return passed(text, found, clock.now());
  };

  const authenticate = (text: string | undefined): Actor | Promise<Actor> => {
    if (text === undefined || text === '') throw missingKey();
    if (verifyToken && looksLikeToken(text)) return verifyToken(text);
    const now = clock.now();
    const isFresh = (key: SeenKey | undefined): key is SeenKey => key !== undefined && now - key.at < keptMs;
    const past = verified.get(text);
    // A key that was forgotten or read again since must be compared again.
    if (past !== undefined) {
      if (isFresh(past) && seen.get(past.key.id) === past) return requireActive(past, now);
      verified.delete(text);
    }
    const digest = adminDigests.get(text) ?? digestOfKey(text);
    const id = parseKeyId(text);
    const known = id === undefined ? undefined : seen.get(id);
    if (isFresh(known) && sameDigest(digest, known.key.digest)) return passed(text, known, now);
    if (adminKey?.matches(digest)) {
      adminDigests.set(text, digest);
      return fixedAdmin;
    }
    if (isFresh(known)) throw unknownKey();
    if (id !== undefined && hasValidChecksum(text)) return look(id, text, digest);
    return adminOnly(digest);
  };
  return Object.assign(authenticate, { forget: (id: string) => void seen.delete(id) });
};

const fixedAdmin = adminActor();
