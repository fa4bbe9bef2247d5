import { createHash } from 'node:crypto';
import { Fault } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { SafeFetch } from '../kernel/safe-fetch.ts';
import type { AccountClient, AccountTokens } from '../model/account.ts';

interface Context {
  readonly fetch: SafeFetch;
  readonly now: () => number;
}

const LIMITS = { timeoutMs: 10_000, maxBytes: 65_536 };

/** The address to which the browser is sent to connect an account. */
export const authorizeUrl = (
  client: AccountClient,
  asked: { readonly state: string; readonly verifier: string; readonly redirectUri: string },
): string => {
  const url = new URL(client.authorize_url);
  const challenge = createHash('sha256').update(asked.verifier).digest('base64url');
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: asked.redirectUri,
    scope: client.scope,
    state: asked.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: client.resource,
  }))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
};

/** Exchanges an authorization code for tokens. */
export const exchangeCode = (
  context: Context,
  client: AccountClient,
  { code, verifier, redirectUri }: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
): Promise<AccountTokens> =>
  requestTokens(context, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });

/** Refreshes tokens; the old refresh token is kept unless the server sends a new one. */
export const refreshTokens = async (
  context: Context,
  client: AccountClient,
  refreshToken: string,
): Promise<AccountTokens> => {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const tokens = await requestTokens(context, client, form);
  return { ...tokens, refresh_token: tokens.refresh_token ?? refreshToken };
};

/** Revokes the tokens at the server (RFC 7009). Its answer is ignored. */
export const revokeTokens = async (
  { fetch }: Context,
  client: AccountClient,
  { access_token, refresh_token }: AccountTokens,
): Promise<void> => {
  if (client.revoke_url === undefined) return;
  await send(fetch, client, client.revoke_url, { token: refresh_token ?? access_token }).catch(() => undefined);
};

const requestTokens = async (
  { fetch, now }: Context,
  client: AccountClient,
  form: Readonly<Record<string, string>>,
): Promise<AccountTokens> => {
  const response = await send(fetch, client, client.token_url, { ...form, resource: client.resource });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && isObject(answer) && typeof answer.access_token === 'string') {
    const seconds = Number(answer.expires_in);
    return {
      access_token: answer.access_token,
      refresh_token: typeof answer.refresh_token === 'string' ? answer.refresh_token : undefined,
      expires_at: Number.isFinite(seconds) ? now() + seconds * 1000 : undefined,
      client: client.issuer === undefined ? undefined : client,
    };
  }
  // Only the error codes of RFC 6749 are shown; anything else may repeat what was sent.
  const word = isObject(answer) ? String(answer.error) : '';
  const reason = /^[a-z_]{1,40}$/.test(word) ? word : '';
  throw new Fault(
    'Unavailable',
    `${new URL(client.token_url).host} issued no token: ${response.status} ${reason}`.trim(),
    {
      status: response.status,
      reason,
    },
  );
};

const send = (
  fetch: SafeFetch,
  { client_id: id, client_secret: secret, secret_in: place = 'header' }: AccountClient,
  url: string,
  form: Readonly<Record<string, string | undefined>>,
): Promise<Response> => {
  const headers: Record<string, string> = { accept: 'application/json' };
  const body = new URLSearchParams({ client_id: id });
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  if (secret !== undefined && place === 'body') body.set('client_secret', secret);
  if (secret !== undefined && place === 'header') {
    const pair = [id, secret].map((part) => encodeURIComponent(part)).join(':');
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return fetch(url, { method: 'POST', headers, body }, LIMITS);
};
