import { sha256 } from '../kernel/canonical-json.ts';
import type { Actor, ApiKey } from '../model/key.ts';
import { knownKey } from './admit.ts';
import { TOKEN_SCOPES, type TokenScope } from './auth-server.ts';
import { hasScope } from './scopes.ts';
import { PRINCIPAL_PREFIX, refused } from './token-actor.ts';

/** What our own access tokens say. */
export interface KeyTokenClaims {
  readonly iss: string;
  /** The id of the key that somebody logged in with. */
  readonly sub: string;
  readonly client_id: string;
  readonly scope: string;
  /** The grant that it was issued for: a token ends with it. */
  readonly grant: string;
}

/** The scopes that a key can hand on by OAuth. */
export const grantableScopes = (key: Pick<ApiKey, 'scopes'>): readonly TokenScope[] => {
  const scopes = new Set(key.scopes);
  return TOKEN_SCOPES.filter((scope) => hasScope({ scopes }, scope));
};

/**
 * A token stands for its key, with less: quota, rate, records and grants are the key's, whatever the number of clients.
 * Consent is the client's own.
 */
export const keyTokenActor = (key: ApiKey, { iss, sub, client_id, scope }: KeyTokenClaims): Actor => {
  const words = new Set(scope.split(' '));
  const scopes = grantableScopes(key).filter((each) => words.has(each));
  if (scopes.length === 0) throw refused('its key has none of its scopes any more');
  const { actor } = knownKey({ ...key, scopes });
  return { ...actor, principal: PRINCIPAL_PREFIX + sha256(JSON.stringify([iss, sub, client_id])).slice(0, 32) };
};
