import * as z from 'zod';

/** How callers connect their accounts at a source (RFC 6749 4.1, RFC 7636), as configured or discovered. */
export const AccountClient = z.object({
  authorize_url: z.string(),
  token_url: z.string(),
  revoke_url: z.string().optional(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  /** Where the client secret is sent; in a header unless given. */
  secret_in: z.enum(['header', 'body']).optional(),
  scope: z.string().optional(),
  /**
   * Discovered: the issuer of the tokens, their resource (RFC 8707), and whether answers name the issuer (RFC 9207).
   */
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
  /** The discovered client that received them: they are renewed and revoked there, whatever is discovered later. */
  client: AccountClient.optional(),
});
export type AccountTokens = Readonly<z.infer<typeof AccountTokens>>;

/** A client registered at a discovered server (RFC 7591), for one redirect address. */
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
