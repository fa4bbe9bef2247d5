import type { JWTVerifyGetKey } from 'jose';
import type { Issuer } from '../../access/issuers.ts';
import { actorFromClaims, refused, type VerifyToken } from '../../access/token-actor.ts';
import { sha256 } from '../../kernel/canonical-json.ts';
import { Fault } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { Clock } from '../../kernel/ports.ts';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import type { Actor } from '../../model/key.ts';

interface Options {
  readonly issuers: readonly Issuer[];
  /** Verifies tokens of our own authorization server, if it is switched on. */
  readonly own?: { readonly issuer: () => string; readonly verify: VerifyToken } | undefined;
  readonly fetch: SafeFetch;
  readonly clock: Pick<Clock, 'now'>;
}

const LIMITS = { timeoutMs: 5000, maxBytes: 256_000 };
const KEYS_KEPT_MS = 600_000;
const COOLDOWN_MS = 30_000;
/** How long a failed request to an issuer is not repeated. */
const FAILURE_KEPT_MS = 5000;
const TOKEN_KEPT_MS = 60_000;
const MAX_KEPT = 10_000;
const MAX_LENGTH = 16_384;

/**
 * Verifies tokens of the configured issuers: signature by their published keys, issuer, audience, algorithm and times.
 * Keys are fetched when they are first needed and when a token names one that is not known, at most every 30 seconds.
 */
export const createTokenVerifier = ({ issuers, own, fetch, clock }: Options): VerifyToken => {
  const ask = sparing(fetch, clock);
  const keys = new Map<string, Promise<JWTVerifyGetKey>>();
  const seen = new Map<string, { readonly actor: Actor; readonly until: number }>();

  const keysOf = (issuer: Issuer): Promise<JWTVerifyGetKey> => {
    const known = keys.get(issuer.issuer);
    if (known) return known;
    const made = openKeys(issuer, ask);
    keys.set(issuer.issuer, made);
    made.catch(() => keys.delete(issuer.issuer));
    return made;
  };

  const verify = async (text: string): Promise<{ readonly actor: Actor; readonly exp: number }> => {
    const { jwtVerify } = await import('jose');
    const said = await readIssuer(text);
    const issuer = issuers.find((each) => each.issuer === said);
    if (!issuer) throw refused('its issuer is not one of this server');
    const { payload } = await jwtVerify(text, await keysOf(issuer), {
      issuer: issuer.issuer,
      audience: [...issuer.audience],
      algorithms: [...issuer.algorithms],
      clockTolerance: issuer.clock_skew_seconds,
      currentDate: new Date(clock.now()),
      requiredClaims: ['exp', 'sub'],
    });
    return { actor: actorFromClaims(issuer, payload), exp: payload.exp ?? 0 };
  };

  return async (text) => {
    if (text.length > MAX_LENGTH) throw refused(`it has more than ${MAX_LENGTH} characters`);
    if (own && (await readIssuer(text)) === own.issuer()) return own.verify(text).catch(throwFault);
    const digest = sha256(text);
    const known = seen.get(digest);
    if (known && known.until > clock.now()) return known.actor;
    const { actor, exp } = await verify(text).catch(throwFault);
    if (seen.size >= MAX_KEPT) seen.clear();
    seen.set(digest, { actor, until: Math.min(exp * 1000, clock.now() + TOKEN_KEPT_MS) });
    return actor;
  };
};

/**
 * Asks an issuer that failed to answer only again after a while: whoever has no valid token could else make this server
 * ask as often as it is asked itself.
 */
const sparing = (fetch: SafeFetch, { now }: Pick<Clock, 'now'>): SafeFetch => {
  const failedAt = new Map<string, number>();
  return async (url, ...rest) => {
    const address = String(url);
    const failed = failedAt.get(address);
    if (failed !== undefined && now() - failed < FAILURE_KEPT_MS) throw new Error(`${address} failed a moment ago`);
    failedAt.delete(address);
    try {
      const response = await fetch(url, ...rest);
      if (!response.ok) failedAt.set(address, now());
      return response;
    } catch (thrown) {
      failedAt.set(address, now());
      throw thrown;
    }
  };
};

const openKeys = async (issuer: Issuer, fetch: SafeFetch): Promise<JWTVerifyGetKey> => {
  const { createRemoteJWKSet, customFetch } = await import('jose');
  const url = new URL(issuer.jwks_uri ?? (await discoverKeys(issuer.issuer, fetch)));
  return createRemoteJWKSet(url, {
    cacheMaxAge: KEYS_KEPT_MS,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: async (address: string, init: { readonly signal: AbortSignal }) =>
      fetch(address, { method: 'GET', headers: { accept: 'application/json' }, signal: init.signal }, LIMITS),
  });
};

const WELL_KNOWN = ['openid-configuration', 'oauth-authorization-server'];

/** Discovers the address of an issuer's keys; a document about another issuer is ignored. */
const discoverKeys = async (issuer: string, fetch: SafeFetch): Promise<string> => {
  for (const name of WELL_KNOWN) {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/${name}`;
    const response = await fetch(address, { headers: { accept: 'application/json' } }, LIMITS);
    const document: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
    if (isObject(document) && document.issuer === issuer && typeof document.jwks_uri === 'string')
      return document.jwks_uri;
  }
  throw new Error('its discovery document names no keys');
};

/** The issuer named in a token that is not verified yet. */
const readIssuer = async (text: string): Promise<string | undefined> => {
  const { decodeJwt } = await import('jose');
  try {
    return decodeJwt(text).iss;
  } catch {
    throw refused('it is not a signed token');
  }
};

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not allowed here',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not hold',
  ERR_JWKS_NO_MATCHING_KEY: 'its issuer publishes no such key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not name the key that signed it',
  ERR_JWS_INVALID: 'it is not a signed token',
  ERR_JWT_INVALID: 'it is not a signed token',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not allowed here',
};

const throwFault = (thrown: unknown): never => {
  throw toFault(thrown);
};

const toFault = (thrown: unknown): Fault => {
  const { code = '', claim } = thrown as { readonly code?: string; readonly claim?: string };
  if (thrown instanceof Fault && thrown.code === 'Unauthenticated') return thrown;
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return refused(`its claim ${claim} is not right for this server`);
  const why = reasons[code];
  if (why !== undefined) return refused(why);
  return new Fault('Unavailable', 'the keys of this token’s issuer cannot be read at the moment; try again', {
    retry_after_seconds: FAILURE_KEPT_MS / 1000,
  });
};
