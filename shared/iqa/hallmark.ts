import { createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, sha256 } from '../kernel/canonical-json.ts';

/** A statement with its signature and the id of the key. */
export interface Signed<Statement> {
  readonly statement: Statement;
  readonly key_id: string;
  readonly signature: string;
}

export type Stamp = <Statement extends object>(statement: Statement) => Signed<Statement>;

/** Signs statements with a private key. */
export const createStamp = (privateKey: KeyObject): Stamp => {
  const key_id = keyThumbprint(publicJwk(createPublicKey(privateKey)));
  return (statement) => ({
    statement,
    key_id,
    signature: sign(null, Buffer.from(canonicalJson(statement)), privateKey).toString('base64url'),
  });
};

export interface PublishedKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** The body of `/.well-known/assay-keys.json`: a JSON Web Key Set, newest key first. */
export const publishKeys = (publicKeys: readonly KeyObject[]): { readonly keys: readonly PublishedKey[] } => ({
  keys: publicKeys.map((key) => {
    const { x } = publicJwk(key);
    return { kty: 'OKP', crv: 'Ed25519', x, kid: keyThumbprint({ x }), use: 'sig', alg: 'EdDSA' };
  }),
});

/** Why a hallmark is not valid; undefined when it is. */
export const findFlaw = (hallmark: Signed<object>, keys: readonly PublishedKey[]): string | undefined => {
  const key = keys.find(({ kid }) => kid === hallmark.key_id);
  if (!key) return `key ${hallmark.key_id} is not among the published keys`;
  if (keyThumbprint(key) !== key.kid)
    return `the published key ${key.kid} has another thumbprint, ${keyThumbprint(key)}`;
  const { kty, crv, x } = key;
  const publicKey = createPublicKey({ key: { kty, crv, x } satisfies JsonWebKey, format: 'jwk' });
  const signature = Buffer.from(hallmark.signature, 'base64url');
  return verify(null, Buffer.from(canonicalJson(hallmark.statement)), publicKey, signature)
    ? undefined
    : 'the signature does not match the statement';
};

const publicJwk = (key: KeyObject): { readonly x: string } => {
  const { crv, x } = key.export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new TypeError(`hallmarks need an Ed25519 key, got ${crv}`);
  return { x };
};

/** The key's JWK thumbprint (RFC 7638). */
const keyThumbprint = ({ x }: { readonly x: string }): string =>
  sha256(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }));
