import * as z from 'zod';
import { NewKey, Scope, TenantName } from '../model/key.ts';
import { TOKEN_SCOPES } from './auth-server.ts';

const TokenScope = Scope.extract([...TOKEN_SCOPES]);

// Asymmetric only: a shared secret would let every reader of this configuration make tokens.
const Algorithm = z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']);

const Claim = z.strictObject({
  claim: z.string().min(1).max(128),
  /** Maps the claim's values; without it a value stands for itself. */
  values: z.record(z.string(), z.string()).optional(),
});

/** Who may issue access tokens for this server, and what their claims mean here. */
const Issuer = z.strictObject({
  issuer: z.url(),
  /** The addresses of this server that a token must be made for (RFC 8707). */
  audience: z.array(z.string().min(1)).min(1),
  /** Where its keys are; found by discovery when absent. */
  jwks_uri: z.url().optional(),
  algorithms: z.array(Algorithm).min(1).default(['RS256', 'ES256']),
  clock_skew_seconds: z.int().min(0).max(120).default(30),
  /** Claims that must have exactly these values, such as `token_use: access`. */
  claims: z.record(z.string(), z.string()).default({}),
  tenant: z.union([TenantName, Claim]).default('default'),
  scopes: z
    .strictObject({
      claim: z.string().min(1).max(128).default('scope'),
      map: z.record(z.string(), z.array(TokenScope).min(1)),
    })
    .default({ claim: 'scope', map: { read: ['read'], invoke: ['invoke'], write: ['write'] } }),
  tools: z.union([z.array(z.string().min(1).max(128)), Claim.omit({ values: true })]).optional(),
  /** A public client registered at the issuer, for clients that cannot register themselves. */
  client_id: z.string().min(1).max(256).optional(),
  quota: NewKey.shape.quota,
  rate: NewKey.shape.rate,
});
export type Issuer = Readonly<z.infer<typeof Issuer>>;

export const Issuers = z
  .array(Issuer)
  .max(20)
  .refine((all) => new Set(all.map(({ issuer }) => issuer)).size === all.length, 'names an issuer twice');
