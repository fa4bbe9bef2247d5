import type { Oauth } from '../../shared/assay.ts';
import type { Fault } from '../../shared/kernel/errors.ts';

export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** This server's address as the client reached it; a proxy that ends TLS passes requests on by http. */
export const publicOrigin = (url: string, { authServer }: Pick<Oauth, 'authServer'>): string => {
  const { origin, host } = new URL(url);
  const own = authServer && new URL(authServer.issuer());
  return own?.host === host ? own.origin : origin;
};

/** The metadata address that tells a client who issues tokens for the address it used (RFC 9728). */
const metadataUrl = (url: string, oauth: Oauth): string =>
  `${publicOrigin(url, oauth)}${METADATA_PATH}${new URL(url).pathname === '/mcp' ? '/mcp' : ''}`;

/** The challenge of a refusal for clients that can get a token, or a token with more scopes (RFC 6750). */
export const challengeFor = (
  oauth: Oauth,
  url: string,
  { code, details }: Pick<Fault, 'code' | 'details'>,
): string | undefined => {
  const metadata = `resource_metadata="${metadataUrl(url, oauth)}"`;
  if (code === 'Unauthenticated')
    return details.token === 'invalid'
      ? `Bearer realm="assay", error="invalid_token", ${metadata}`
      : `Bearer realm="assay", ${metadata}`;
  if (code !== 'Forbidden' || typeof details.scope !== 'string') return undefined;
  return `Bearer realm="assay", error="insufficient_scope", scope="${details.scope}", ${metadata}`;
};
