import * as z from 'zod';

/** How accounts at a source are connected (RFC 6749 4.1, RFC 7636): as it was given, or as it was discovered. */
export const AccountClient = z.object({
  authorize_url: z.string(),
  token_url: z.string(),
  revoke_url: z.string().optional(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  /** How the secret is sent; in a header unless said. */
  secret_in: z.enum(['header', 'body']).optional(),
  scope: z.string().optional(),
  /** What was discovered: who issues the tokens, for which resource (RFC 8707), and whether answers name it (RFC 9207). */
  issuer: z.string().optional(),
  resource: z.string().optional(),
  names_issuer: z.boolean().optional(),
});
export type AccountClient = Readonly<z.infer<typeof AccountClient>>;

/** The tokens of one caller at a source. */
export const AccountTokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  /** In milliseconds since 1970; absent where the server does not say. */
  expires_at: z.number().optional(),
  /** The discovered client they were given to: they are renewed and revoked there, whatever is discovered later. */
  client: AccountClient.optional(),
});
export type AccountTokens = Readonly<z.infer<typeof AccountTokens>>;

/** A client that was registered at a discovered server (RFC 7591), for one address to come back to. */
export const RegisteredClient = z.object({
  issuer: z.string(),
  redirect_uri: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  secret_in: AccountClient.shape.secret_in,
  /** In milliseconds since 1970. */
  expires_at: z.number().optional(),
});
export type RegisteredClient = Readonly<z.infer<typeof RegisteredClient>>;
