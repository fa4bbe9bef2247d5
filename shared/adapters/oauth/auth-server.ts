import { createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import type { Client, Configuration, ErrorOut, Interaction, InteractionResults, Provider } from 'oidc-provider';
import { type AuthServer, type PendingSignIn, TOKEN_SCOPES } from '../../access/auth-server.ts';
import { Fault } from '../../kernel/errors.ts';
import { lazily } from '../../kernel/lazily.ts';
import type { Clock, Table } from '../../kernel/ports.ts';
import type { SafeFetch } from '../../kernel/safe-fetch.ts';
import { authServerStore } from './auth-server-store.ts';
import { nodeExchange } from './node-exchange.ts';
import { resourcesOf } from './own-tokens.ts';

export interface AuthServerOptions {
  /** This server's address as clients reach it; known once it listens. */
  readonly issuer: () => string;
  /** An elliptic P-256 key. */
  readonly signingKey: KeyObject;
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  /** The guarded way out, to the metadata documents of clients. */
  readonly fetch: SafeFetch;
  /** Whether clients may register themselves. */
  readonly registers: boolean;
  /** Whether a key is in force. */
  readonly isInForce: (keyId: string) => Promise<boolean>;
}

export const SIGN_IN_PATH = '/oauth/sign-in';
const TOKEN_SECONDS = 300;
const REFRESH_SECONDS = 30 * 86_400;
const FETCH_LIMITS = { timeoutMs: 5000, maxBytes: 64_000 };
// The scopes of a client that requests none.
const USUAL_SCOPES = 'read invoke';

/** An authorization server by `oidc-provider`, which is loaded with the first request to it. */
export const createAuthServer = (options: AuthServerOptions): AuthServer => {
  const { issuer } = options;
  const opened = lazily(() => openProvider(options));
  const exchange = (request: Request, body = '') => nodeExchange(request, body, issuer());
  const interactionOf = async (provider: Provider, request: Request): Promise<Interaction | undefined> => {
    const { SessionNotFound } = (await import('oidc-provider')).errors;
    const { request: incoming, response } = exchange(request);
    return provider.interactionDetails(incoming, response).catch((thrown: unknown) => {
      if (thrown instanceof SessionNotFound) return undefined;
      throw thrown;
    });
  };
  const requireInteraction = async (provider: Provider, request: Request): Promise<Interaction> => {
    const found = await interactionOf(provider, request);
    if (found) return found;
    throw new Fault('NotFound', 'this sign-in has expired; go back to the application and connect again');
  };
  return {
    issuer,
    async handle(request, body) {
      const provider = await opened();
      const { request: incoming, response, answered } = exchange(withUsualScope(request), body);
      // Its own errors are answers; another one is ours.
      const failed = provider
        .callback()(incoming, response)
        .then(() => answered);
      return Promise.race([answered, failed]);
    },
    async find(request) {
      const provider = await opened();
      const interaction = await interactionOf(provider, request);
      const client = interaction && (await provider.Client.find(String(interaction.params.client_id)));
      return client && toPending(interaction, client);
    },
    async allow(request, { keyId, scopes }) {
      const provider = await opened();
      const { resource, scopes: asked, clientId } = await requirePending(provider, request);
      const grant = new provider.Grant({ accountId: keyId, clientId });
      const granted = asked.filter((scope) => scopes.includes(scope));
      const rest = asked.filter((scope) => !granted.includes(scope)).join(' ');
      // The scopes are known to the server, so that clients can register with them, and belong to the resource.
      grant.addOIDCScope(granted.join(' '));
      grant.addResourceScope(resource, granted.join(' '));
      if (rest !== '') {
        grant.rejectOIDCScope(rest);
        grant.rejectResourceScope(resource, rest);
      }
      const grantId = await grant.save();
      return finish(provider, request, { login: { accountId: keyId, remember: false }, consent: { grantId } });
    },
    async deny(request, error, description) {
      const provider = await opened();
      await requireInteraction(provider, request);
      return finish(provider, request, { error, error_description: description });
    },
  };

  async function requirePending(provider: Provider, request: Request): Promise<PendingSignIn> {
    const interaction = await requireInteraction(provider, request);
    const client = await provider.Client.find(String(interaction.params.client_id));
    if (client) return toPending(interaction, client);
    throw new Fault('NotFound', 'the application is not known any more; connect again');
  }

  async function finish(provider: Provider, request: Request, result: InteractionResults): Promise<Response> {
    const { request: incoming, response, answered } = exchange(request);
    await provider.interactionFinished(incoming, response, result, { mergeWithLastSubmission: false });
    return answered;
  }
};

const toPending = ({ params }: Interaction, client: Client): PendingSignIn => {
  const words = new Set(String(params.scope ?? '').split(' '));
  return {
    clientName: client.clientName,
    clientId: client.clientId,
    isPublished: client.clientId.startsWith('https://'),
    redirectUri: String(params.redirect_uri),
    resource: String([params.resource].flat()[0]),
    scopes: TOKEN_SCOPES.filter((scope) => words.has(scope)),
  };
};

const withUsualScope = (request: Request): Request => {
  const url = new URL(request.url);
  if (url.pathname !== '/oauth/authorize' || url.searchParams.has('scope')) return request;
  url.searchParams.set('scope', USUAL_SCOPES);
  return new Request(url, { headers: request.headers });
};

const openProvider = async (options: AuthServerOptions): Promise<Provider> => {
  const { Provider, errors, interactionPolicy } = await import('oidc-provider');
  const { table, clock, signingKey } = options;
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  // Nobody stays logged in: a page of another site must not get a code without a person.
  policy
    .get('login')
    ?.checks.add(
      new Check('key', 'the key is asked for each time', (ctx) =>
        ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
      ),
    );
  const alreadyUsed = () => new errors.InvalidGrant('it was used already');
  const provider = new Provider(options.issuer(), {
    ...configuration(options),
    adapter: authServerStore({ table, clock, alreadyUsed }),
    jwks: { keys: [{ ...signingKey.export({ format: 'jwk' }), kid: keyIdOf(signingKey), use: 'sig', alg: 'ES256' }] },
    interactions: { policy, url: (_, { uid }) => `${SIGN_IN_PATH}/${uid}` },
    features: features(options, () => new errors.InvalidTarget()),
  } as Configuration);
  return provider;
};

const configuration = ({ signingKey, isInForce, fetch }: AuthServerOptions) => ({
  scopes: [...TOKEN_SCOPES],
  claims: {},
  responseTypes: ['code'],
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  clientDefaults: {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'ES256',
  },
  clientBasedCORS: () => true,
  renderError: showError,
  cookies: {
    keys: [
      createHmac('sha256', signingKey.export({ format: 'der', type: 'pkcs8' }))
        .update('cookies')
        .digest('hex'),
    ],
    names: { session: 'assay_session', interaction: 'assay_sign_in', resume: 'assay_resume' },
    long: { httpOnly: true, sameSite: 'lax', signed: true, path: '/oauth' },
    short: { httpOnly: true, sameSite: 'lax', signed: true },
  },
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    jwks: '/oauth/keys',
    registration: '/oauth/register',
    revocation: '/oauth/revoke',
  },
  pkce: { required: () => true },
  ttl: {
    AccessToken: TOKEN_SECONDS,
    AuthorizationCode: 60,
    Interaction: 600,
    Session: 600,
    RefreshToken: REFRESH_SECONDS,
    Grant: REFRESH_SECONDS,
  },
  issueRefreshToken: (_: unknown, client: Client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  // A revoked or expired key has no account, so its grants cannot be refreshed.
  findAccount: async (_: unknown, keyId: string) =>
    (await isInForce(keyId)) ? { accountId: keyId, claims: () => ({ sub: keyId }) } : undefined,
  extraTokenClaims: (_: unknown, { grantId }: { readonly grantId?: string }) => ({ grant: grantId }),
  fetch: (url: string | URL, init: RequestInit) =>
    fetch(url, { method: 'GET', headers: { accept: 'application/json' }, signal: init.signal ?? null }, FETCH_LIMITS),
});

const features = ({ issuer, registers }: AuthServerOptions, invalidTarget: () => Error) => ({
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  revocation: {
    enabled: true,
    allowedPolicy: (_: unknown, client: Client, token: { readonly clientId?: string }) =>
      token.clientId === client.clientId,
  },
  registration: { enabled: registers, issueRegistrationAccessToken: false },
  clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
  resourceIndicators: {
    enabled: true,
    defaultResource: (_: unknown, __: unknown, oneOf?: string[]) => oneOf?.[0] ?? `${issuer()}/mcp`,
    useGrantedResource: () => true,
    getResourceServerInfo(_: unknown, resource: string) {
      if (!resourcesOf(issuer()).includes(resource)) throw invalidTarget();
      return {
        scope: TOKEN_SCOPES.join(' '),
        audience: resource,
        accessTokenTTL: TOKEN_SECONDS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      };
    },
  },
});

/** The error page for a browser that cannot be redirected to its application; it contains only protocol terms. */
const showError = (ctx: { type: string; body: unknown }, { error, error_description }: ErrorOut): void => {
  ctx.type = 'text';
  ctx.body = [error, error_description].filter((word) => word !== undefined).join(': ');
};

/** The name of a key in published key sets: it follows from the key. */
const keyIdOf = (key: KeyObject): string =>
  createHmac('sha256', 'kid')
    .update(createPublicKey(key).export({ format: 'der', type: 'spki' }))
    .digest('base64url')
    .slice(0, 16);
