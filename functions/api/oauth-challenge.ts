import type { Fault } from '../../shared/kernel/errors.ts';

export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Where a client learns who issues tokens for the address that it used (RFC 9728). */
const metadataUrl = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${METADATA_PATH}${pathname === '/mcp' ? '/mcp' : ''}`;
};

/** What a refusal tells a client that can get a token, or a better one (RFC 6750). */
export const challengeFor = (url: string, { code, details }: Pick<Fault, 'code' | 'details'>): string | undefined => {
  const metadata = `resource_metadata="${metadataUrl(url)}"`;
  if (code === 'Unauthenticated')
    return details.token === 'invalid'
      ? `Bearer realm="assay", error="invalid_token", ${metadata}`
      : `Bearer realm="assay", ${metadata}`;
  if (code !== 'Forbidden' || typeof details.scope !== 'string') return undefined;
  return `Bearer realm="assay", error="insufficient_scope", scope="${details.scope}", ${metadata}`;
};
