import { sha256 } from '../kernel/canonical-json.ts';
import type { Actor, ApiKey } from '../model/key.ts';
import { knownKey } from './admit.ts';
import { TOKEN_SCOPES, type TokenScope } from './auth-server.ts';
import { hasScope } from './scopes.ts';
import { PRINCIPAL_PREFIX, refused } from './token-actor.ts';

/** The claims of our own access tokens. */
export interface KeyTokenClaims {
  readonly iss: string;
  /** The id of the key that was used to sign in. */
  readonly sub: string;
  readonly client_id: string;
  readonly scope: string;
  /** The grant it was issued for: revoking the grant revokes the token. */
  readonly grant: string;
}

/** The scopes of a key that OAuth can grant. */
export const grantableScopes = (key: Pick<ApiKey, 'scopes'>): readonly TokenScope[] => {
  const scopes = new Set(key.scopes);
  return TOKEN_SCOPES.filter((scope) => hasScope({ scopes }, scope));
};

/**
 * A token acts as its key with fewer scopes: it shares the key's quota, rate, records and grants with all other
 * clients. Consent is per client.
 */
export const keyTokenActor = (key: ApiKey, { iss, sub, client_id, scope }: KeyTokenClaims): Actor => {
  const words = new Set(scope.split(' '));
  const scopes = grantableScopes(key).filter((each) => words.has(each));
  if (scopes.length === 0) throw refused('its key has none of its scopes any more');
  const { actor } = knownKey({ ...key, scopes });
  return { ...actor, principal: PRINCIPAL_PREFIX + sha256(JSON.stringify([iss, sub, client_id])).slice(0, 32) };
};
