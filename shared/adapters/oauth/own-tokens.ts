import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { knownKey, requireActive } from '../../access/admit.ts';
import { findKey } from '../../access/api-keys.ts';
import { type KeyTokenClaims, keyTokenActor } from '../../access/key-token.ts';
import { refused, type VerifyToken } from '../../access/token-actor.ts';
import { sha256 } from '../../kernel/canonical-json.ts';
import { oauthKey } from '../../kernel/oauth-keys.ts';
import type { Clock, Table } from '../../kernel/ports.ts';

interface Options {
  readonly issuer: () => string;
  readonly signingKey: KeyObject;
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
}

const Claims = z.object({
  iss: z.string(),
  sub: z.string(),
  client_id: z.string(),
  scope: z.string(),
  grant: z.string(),
  exp: z.number(),
});

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** The addresses of this server that are valid audiences; a loopback address has several names. */
export const resourcesOf = (issuer: string): readonly string[] => {
  const { origin, hostname, protocol, port } = new URL(issuer);
  const origins = LOOPBACK.includes(hostname) ? LOOPBACK.map((name) => `${protocol}//${name}:${port}`) : [origin];
  return origins.flatMap((each) => [each, `${each}/`, `${each}/mcp`]);
};

/**
 * Verifies the tokens of our own authorization server. The signature is checked once; the key and the grant with each
 * use, so that a token ends at once with either of them.
 */
export const createOwnTokens = ({ issuer, signingKey, table, clock }: Options): VerifyToken => {
  const publicKey = createPublicKey(signingKey);
  const verified = new LRUCache<string, KeyTokenClaims & { readonly exp: number }>({ max: 10_000 });
  const verify = async (text: string) => {
    const { jwtVerify } = await import('jose');
    const { payload } = await jwtVerify(text, publicKey, {
      issuer: issuer(),
      audience: [...resourcesOf(issuer())],
      algorithms: ['ES256'],
      typ: 'at+jwt',
      currentDate: new Date(clock.now()),
    });
    return Claims.parse(payload);
  };
  return async (text) => {
    const digest = sha256(text);
    const claims = verified.get(digest) ?? (await verify(text));
    if (claims.exp * 1000 <= clock.now()) throw refused('it has expired');
    verified.set(digest, claims);
    const [key, grant] = await Promise.all([
      findKey(table, claims.sub),
      table.get(oauthKey('Grant', sha256(claims.grant))),
    ]);
    if (!key) throw refused('its key is gone');
    if (!grant) throw refused('it was revoked');
    requireActive(knownKey(key), clock.now());
    return keyTokenActor(key, claims);
  };
};
