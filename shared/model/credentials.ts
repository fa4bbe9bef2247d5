import * as z from 'zod';

const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be the name of a header');
/** Headers of the connection itself, and the caller's own address. */
const CONNECTION =
  /^(host|connection|keep-alive|transfer-encoding|content-length|te|trailer|upgrade|expect|proxy-.*|x-forwarded-.*|forwarded)$/i;
const Value = z.string().min(1).max(8192);
const HeaderValue = Value.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'must be one line of characters that a header can hold');

const Address = z.url({ protocol: /^https?$/ }).max(2048);

/**
 * Credentials of a source: a token, a header, a query parameter, a user with password, OAuth client credentials, or an
 * account of each caller.
 */
const Secret = z.union([
  HeaderValue,
  z.strictObject({ type: z.literal('bearer'), token: HeaderValue }),
  z.strictObject({ type: z.literal('header'), name: HeaderName, value: HeaderValue }),
  z.strictObject({ type: z.literal('query'), name: z.string().min(1).max(128), value: Value }),
  z.strictObject({ type: z.literal('basic'), username: Value, password: Value }),
  z.strictObject({
    type: z.literal('oauth'),
    token_url: Address,
    client_id: Value,
    client_secret: Value,
    scope: z.string().max(2048).optional(),
  }),
  // Each caller connects its own account on a page (authorization code with PKCE). Fields that are not given are
  // discovered, as MCP servers with OAuth offer them.
  z
    .strictObject({
      type: z.literal('account'),
      authorize_url: Address.optional(),
      token_url: Address.optional(),
      revoke_url: Address.optional(),
      client_id: Value.optional(),
      client_secret: Value.optional(),
      scope: z.string().max(2048).optional(),
    })
    .refine(
      ({ authorize_url: authorize, token_url: token, client_id: id }) =>
        authorize === undefined ? token === undefined : token !== undefined && id !== undefined,
      'must have authorize_url, token_url and client_id together, or leave both addresses to be discovered',
    )
    .refine(
      ({ client_id: id, client_secret: secret }) => secret === undefined || id !== undefined,
      'must have client_id where it has client_secret',
    ),
]);

/** What is sent with every request to a source, given once and never shown again. A bare `secret` is a bearer token. */
export const Credentials = z.strictObject({
  headers: z
    .record(HeaderName, HeaderValue)
    .refine((headers) => Object.keys(headers).length <= 32, 'must have at most 32 headers')
    .refine(
      (headers) => !Object.keys(headers).some((name) => CONNECTION.test(name)),
      'must not have headers of the connection, such as host or content-length',
    )
    .optional(),
  secret: Secret.optional(),
});
export type Credentials = Readonly<z.infer<typeof Credentials>>;

/** The settings for accounts of callers, as given. */
export type AccountSettings = Extract<Exclude<Credentials['secret'], string | undefined>, { type: 'account' }>;
