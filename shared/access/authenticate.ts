import type { Clock, Table } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import { admit, inForce, type KnownKey, knownKey, missingKey, unknownKey } from './admit.ts';
import { findKey } from './api-keys.ts';
import { adminActor } from './scopes.ts';
import { digestOfKey, idOfKey, isWhole, sameDigest } from './secret.ts';

export { requireScope } from './scopes.ts';

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
  const seen = new Map<string, KnownKey & { readonly at: number }>();

  const look = async (id: string, digest: string): Promise<Actor> => {
    const key = await findKey(table, id);
    if (!key) throw unknownKey();
    const found = { ...knownKey(key), at: clock.now() };
    if (seen.size >= MAX_KEPT) seen.clear();
    seen.set(id, found);
    return admit(found, digest, clock.now());
  };

  const authenticate = (text: string | undefined): Actor | Promise<Actor> => {
    if (text === undefined || text === '') throw missingKey();
    const digest = digestOfKey(text);
    const id = idOfKey(text);
    const now = clock.now();
    const known = id === undefined ? undefined : seen.get(id);
    const isFresh = known !== undefined && now - known.at < keptMs;
    if (isFresh && sameDigest(digest, known.key.digest)) return inForce(known, now);
    if (adminDigest !== undefined && sameDigest(digest, adminDigest)) return fixedAdmin;
    if (isFresh || id === undefined || !isWhole(text)) throw unknownKey();
    return look(id, digest);
  };
  return Object.assign(authenticate, { forget: (id: string) => void seen.delete(id) });
};

const fixedAdmin = adminActor();
