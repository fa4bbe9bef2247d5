import { createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, sha256 } from '../kernel/canonical-json.ts';

/** A statement of any version with its signature. */
export interface Signed<Statement> {
  readonly statement: Statement;
  readonly key_id: string;
  readonly signature: string;
}

export type Stamp = <Statement extends object>(statement: Statement) => Signed<Statement>;

/** Signs statements with a private key. */
export const createStamp = (privateKey: KeyObject): Stamp => {
  const key_id = keyIdOf(publicJwk(createPublicKey(privateKey)));
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
    return { kty: 'OKP', crv: 'Ed25519', x, kid: keyIdOf({ x }), use: 'sig', alg: 'EdDSA' };
  }),
});

/** Why a hallmark does not hold, or undefined when it does. */
export const findFlaw = (hallmark: Signed<object>, keys: readonly PublishedKey[]): string | undefined => {
  const key = keys.find(({ kid }) => kid === hallmark.key_id);
  if (!key) return `key ${hallmark.key_id} is not among the published keys`;
  if (keyIdOf(key) !== key.kid) return `key ${key.kid} is not what its name says`;
  const { kty, crv, x } = key;
  const publicKey = createPublicKey({ key: { kty, crv, x } satisfies JsonWebKey, format: 'jwk' });
  const signature = Buffer.from(hallmark.signature, 'base64url');
  return verify(null, Buffer.from(canonicalJson(hallmark.statement)), publicKey, signature)
    ? undefined
    : 'the signature does not fit the statement';
};

const publicJwk = (key: KeyObject): { readonly x: string } => {
  const { crv, x } = key.export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new TypeError(`hallmarks need an Ed25519 key, got ${crv}`);
  return { x };
};

/** RFC 7638: the thumbprint of the key names it. */
const keyIdOf = ({ x }: { readonly x: string }): string => sha256(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }));
