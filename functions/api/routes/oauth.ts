import * as z from 'zod';
import { TOKEN_SCOPES } from '../../../shared/access/auth-server.ts';
import { Fault } from '../../../shared/kernel/errors.ts';
import { answerBytes } from '../answer.ts';
import type { Api, ApiContext } from '../env.ts';
import { METADATA_PATH, publicOrigin } from '../oauth-challenge.ts';
import { route } from '../route.ts';

const Metadata = z
  .object({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
    assay_client_ids: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'ProtectedResource' });

const describe = (suffix: '' | '/mcp') =>
  route({
    method: 'get',
    path: `${METADATA_PATH}${suffix}`,
    scope: 'public',
    summary: 'The issuers of access tokens for this server (RFC 9728), if configured',
    tag: 'Operation',
    answers: { 200: { description: 'The protected resource', schema: Metadata } },
    faults: ['NotFound'],
    handle: ({ api, context }) => answerMetadata(api, context, suffix),
  });

const answerMetadata = ({ oauth }: Api, c: ApiContext, suffix: string): Response => {
  if (!oauth)
    throw new Fault(
      'NotFound',
      'no issuers of tokens are configured here; use a key (ASSAY_ISSUERS, ASSAY_AUTH_SERVER)',
    );
  const { issuers, authServer } = oauth;
  const clients = issuers.flatMap(({ issuer, client_id: id }) => (id === undefined ? [] : [[issuer, id] as const]));
  const metadata: z.input<typeof Metadata> = {
    // Must be exactly the address that the client uses, because clients compare them.
    resource: publicOrigin(c.req.url, oauth) + suffix,
    authorization_servers: [...(authServer ? [authServer.issuer()] : []), ...issuers.map(({ issuer }) => issuer)],
    scopes_supported: [
      ...new Set([...(authServer ? TOKEN_SCOPES : []), ...issuers.flatMap(({ scopes }) => Object.keys(scopes.map))]),
    ],
    bearer_methods_supported: ['header'],
    resource_name: 'Assay',
    assay_client_ids: clients.length === 0 ? undefined : Object.fromEntries(clients),
  };
  return answerBytes(c, JSON.stringify(metadata), 'application/json', { 'access-control-allow-origin': '*' });
};

export const oauthRoutes = [describe(''), describe('/mcp')] as const;
