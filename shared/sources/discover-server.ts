import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import type { SafeFetch } from '../kernel/safe-fetch.ts';
import type { SourceKind } from '../model/source.ts';

/** What a resource says of itself and of its authorization server. */
export interface DiscoveredServer {
  readonly resource: string;
  readonly scope: string | undefined;
  readonly server: ServerMetadata;
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 262_144 };
const Address = z.url({ protocol: /^https?$/ }).max(2048);
const Words = z.array(z.string()).optional();

/** Protected resource metadata (RFC 9728). */
const ResourceMetadata = z.looseObject({
  resource: Address,
  authorization_servers: z.array(Address).min(1),
  scopes_supported: Words,
});

/** Authorization server metadata (RFC 8414), as far as an authorization code with PKCE needs it. */
const ServerMetadata = z.looseObject({
  issuer: Address,
  authorization_endpoint: Address,
  token_endpoint: Address,
  revocation_endpoint: Address.optional(),
  registration_endpoint: Address.optional(),
  scopes_supported: Words,
  code_challenge_methods_supported: Words,
  token_endpoint_auth_methods_supported: Words,
  client_id_metadata_document_supported: z.boolean().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type ServerMetadata = Readonly<z.infer<typeof ServerMetadata>>;

/** Finds the authorization server of a source, as the MCP specification describes it. */
export const discoverServer = async (
  fetch: SafeFetch,
  { kind, url }: { readonly kind: SourceKind; readonly url: string },
): Promise<DiscoveredServer> => {
  const challenge = await readChallenge(fetch, kind, url);
  const metadata = await findResource(fetch, url, challenge);
  if (metadata) requireCovers(metadata.resource, url);
  // Servers of the first MCP version with OAuth have no such document: their own origin issues the tokens.
  const issuer = metadata?.authorization_servers[0] ?? new URL(url).origin;
  const server = await findServer(fetch, issuer);
  const scope = challenge.scope ?? metadata?.scopes_supported?.join(' ');
  return { resource: metadata?.resource ?? url, scope, server };
};

interface Challenge {
  readonly metadata?: string | undefined;
  readonly scope?: string | undefined;
}

/** Reads the challenge that the source sends to a request without a token. */
const readChallenge = async (fetch: SafeFetch, kind: SourceKind, url: string): Promise<Challenge> => {
  const response = await fetch(url, kind === 'mcp' ? INITIALIZE : { method: 'GET' }, LIMITS);
  await response.body?.cancel();
  const said = response.headers.get('www-authenticate') ?? '';
  return { metadata: readParameter(said, 'resource_metadata'), scope: readParameter(said, 'scope') };
};

const INITIALIZE: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'assay', version: '1' } },
  }),
};

const readParameter = (challenge: string, name: string): string | undefined =>
  new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`).exec(challenge)?.[1];

const findResource = (fetch: SafeFetch, url: string, { metadata }: Challenge) =>
  metadata === undefined
    ? readFirst(fetch, wellKnown(url, 'oauth-protected-resource'), ResourceMetadata)
    : readFirst(fetch, [metadata], ResourceMetadata);

const findServer = async (fetch: SafeFetch, issuer: string): Promise<ServerMetadata> => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
  const server = await readFirst(fetch, places, ServerMetadata);
  if (!server) throw undiscovered(`${issuer} publishes no OAuth metadata (${places.join(', ')})`);
  // Otherwise a server could claim a trusted issuer's name for its own endpoints.
  if (server.issuer !== issuer && server.issuer !== `${issuer}/` && `${server.issuer}/` !== issuer)
    throw undiscovered(`${issuer} publishes metadata of another issuer, ${server.issuer}`);
  if (!server.code_challenge_methods_supported?.includes('S256'))
    throw undiscovered(`${issuer} does not declare PKCE with S256`);
  for (const endpoint of [server.authorization_endpoint, server.token_endpoint])
    if (endpoint.startsWith('http:') && !issuer.startsWith('http:'))
      throw undiscovered(`${issuer} names an endpoint without TLS: ${endpoint}`);
  return server;
};

/** The addresses of a metadata document: with the resource's path, and at the root (RFC 9728, 3.1). */
const wellKnown = (url: string, name: string): readonly string[] => {
  const { origin, pathname } = new URL(url);
  const root = `${origin}/.well-known/${name}`;
  return pathname === '/' ? [root] : [`${root}${pathname.replace(/\/$/, '')}`, root];
};

/** The first document that exists; an invalid one is an error, not a reason to try the next. */
const readFirst = async <T>(
  fetch: SafeFetch,
  places: readonly string[],
  schema: z.ZodType<T>,
): Promise<T | undefined> => {
  for (const place of places) {
    const response = await fetch(place, { method: 'GET', headers: { accept: 'application/json' } }, LIMITS);
    if (!response.ok) {
      await response.body?.cancel();
      continue;
    }
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    const { path = [], message } = parsed.error.issues[0] ?? {};
    throw undiscovered(`${place} is not valid OAuth metadata (${path.join('.')} ${message})`);
  }
  return undefined;
};

/** A token must be for the source itself: with one for another resource, the source could act there. */
const requireCovers = (resource: string, url: string): void => {
  const [named, used] = [new URL(resource), new URL(url)];
  const path = named.pathname.endsWith('/') ? named.pathname : `${named.pathname}/`;
  if (named.origin === used.origin && `${used.pathname}/`.startsWith(path)) return;
  throw undiscovered(`it says that it is the resource ${resource}, which ${url} is no part of`);
};

const undiscovered = (reason: string): Fault =>
  new Fault(
    'Unavailable',
    `how to connect an account cannot be discovered: ${reason}; give authorize_url, token_url and client_id with the secret`,
  );
