import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import type { SafeFetch } from '../kernel/safe-fetch.ts';
import type { AccountClient, RegisteredClient } from '../model/account.ts';
import type { AccountSettings } from '../model/credentials.ts';
import type { SourceKind } from '../model/source.ts';
import { discoverServer, type ServerMetadata } from './discover-server.ts';

/** Where this server publishes its OAuth client metadata, under its own origin. */
export const CLIENT_DOCUMENT_PATH = '/.well-known/oauth-client.json';

/** The metadata of this server as an OAuth client of sources: a public client with one redirect address. */
export const clientDocument = (redirectUri: string) => ({
  client_name: 'Assay',
  client_uri: new URL(redirectUri).origin,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
});

interface Discovery {
  readonly fetch: SafeFetch;
  readonly now: () => number;
  readonly source: { readonly kind: SourceKind; readonly url: string };
  readonly settings: AccountSettings;
  readonly redirectUri: string;
  /** The client registered before, and where a new one is stored. */
  readonly registered: () => Promise<RegisteredClient | undefined>;
  readonly keep: (client: RegisteredClient) => Promise<void>;
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 65_536 };

/** Discovers how accounts are connected at a source that was added without these settings. */
export const discoverClient = async (discovery: Discovery): Promise<AccountClient> => {
  const { fetch, source, settings } = discovery;
  const { resource, scope, server } = await discoverServer(fetch, source);
  return {
    authorize_url: server.authorization_endpoint,
    token_url: server.token_endpoint,
    revoke_url: server.revocation_endpoint,
    scope: settings.scope ?? withRefresh(scope, server),
    issuer: server.issuer,
    resource,
    names_issuer: server.authorization_response_iss_parameter_supported,
    ...(await identify(discovery, server)),
  };
};

/** Our client there: as configured, by our published metadata, or registered once. */
const identify = async (
  discovery: Discovery,
  server: ServerMetadata,
): Promise<Pick<AccountClient, 'client_id' | 'client_secret' | 'secret_in'>> => {
  const { settings, redirectUri, now } = discovery;
  const { client_id: id, client_secret: secret } = settings;
  if (id !== undefined) return { client_id: id, client_secret: secret, secret_in: secretPlace(server) };
  const { origin, protocol } = new URL(redirectUri);
  if (server.client_id_metadata_document_supported && protocol === 'https:')
    return { client_id: origin + CLIENT_DOCUMENT_PATH };
  const known = await discovery.registered();
  const isCurrent = known?.issuer === server.issuer && known.redirect_uri === redirectUri;
  if (known && isCurrent && (known.expires_at === undefined || known.expires_at > now())) return asClient(known);
  const client = await register(discovery, server);
  await discovery.keep(client);
  return asClient(client);
};

const asClient = ({ client_id, client_secret, secret_in }: RegisteredClient) => ({
  client_id,
  client_secret,
  secret_in,
});

const Registered = z.looseObject({
  client_id: z.string().min(1).max(2048),
  client_secret: z.string().max(8192).optional(),
  client_secret_expires_at: z.number().nonnegative().optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** Registers this server as a client (RFC 7591). */
const register = async ({ fetch, redirectUri }: Discovery, server: ServerMetadata): Promise<RegisteredClient> => {
  const { issuer, registration_endpoint: place } = server;
  const where = new URL(issuer).host;
  if (place === undefined)
    throw new Fault(
      'Unavailable',
      `${where} does not let clients register themselves; register one there, and give its client_id`,
    );
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((one) => methods.includes(one));
  const body = JSON.stringify({ ...clientDocument(redirectUri), token_endpoint_auth_method: method ?? 'none' });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(place, { method: 'POST', headers, body }, LIMITS);
  const answer = Registered.safeParse(await response.json().catch(() => undefined));
  if (!response.ok || !answer.success)
    throw new Fault(
      'Unavailable',
      `${where} does not register this server as a client (${response.status}); register one there, and give its client_id`,
      { status: response.status },
    );
  const { client_id, client_secret, client_secret_expires_at: end = 0, token_endpoint_auth_method: used } = answer.data;
  const isPublic = (used ?? method) === 'none';
  return {
    issuer,
    redirect_uri: redirectUri,
    client_id,
    client_secret: isPublic ? undefined : client_secret,
    secret_in: (used ?? method) === 'client_secret_post' ? 'body' : 'header',
    expires_at: end === 0 ? undefined : end * 1000,
  };
};

const secretPlace = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): 'header' | 'body' =>
  methods?.includes('client_secret_post') && !methods.includes('client_secret_basic') ? 'body' : 'header';

/** Adds the scope for refresh tokens, where the server has one. */
const withRefresh = (
  scope: string | undefined,
  { scopes_supported: known = [] }: ServerMetadata,
): string | undefined =>
  known.includes('offline_access') && !(scope ?? '').split(' ').includes('offline_access')
    ? `${scope ?? ''} offline_access`.trim()
    : scope;
