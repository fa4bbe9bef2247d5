import { LRUCache } from 'lru-cache';
import { digestOf } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { SafeFetch } from '../kernel/safe-fetch.ts';
import type { Credentials } from '../model/credentials.ts';

export type OAuthClient = Extract<Exclude<Credentials['secret'], string | undefined>, { type: 'oauth' }>;

const LIMITS = { timeoutMs: 10_000, maxBytes: 65_536 };
/** How long before its expiry a token is refreshed, and how long it is cached where the server gives no expiry. */
const EARLY_MS = 30_000;
const USUAL_MS = 300_000;

/** Tokens by OAuth's client credentials (RFC 6749, 4.4), each fetched once and cached until it expires. */
export const createClientTokens = (fetch: SafeFetch, now: () => number): ((client: OAuthClient) => Promise<string>) => {
  const kept = new LRUCache<string, { readonly token: string; readonly until: number }>({ max: 200 });
  const asked = new Map<string, Promise<string>>();
  const ask = async (client: OAuthClient, key: string): Promise<string> => {
    const { token, seconds } = await requestToken(fetch, client);
    const lasting = seconds === undefined ? USUAL_MS : seconds * 1000;
    kept.set(key, { token, until: now() + Math.max(0, lasting - EARLY_MS) });
    return token;
  };
  return async (client) => {
    const key = digestOf(client);
    const known = kept.get(key);
    if (known && known.until > now()) return known.token;
    const running = asked.get(key) ?? ask(client, key).finally(() => asked.delete(key));
    asked.set(key, running);
    return running;
  };
};

const requestToken = async (
  fetch: SafeFetch,
  { token_url: url, client_id: id, client_secret: secret, scope }: OAuthClient,
): Promise<{ readonly token: string; readonly seconds?: number | undefined }> => {
  const pair = [id, secret].map((part) => encodeURIComponent(part)).join(':');
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) body.set('scope', scope);
  const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, accept: 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body }, LIMITS);
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && isObject(answer) && typeof answer.access_token === 'string') {
    const seconds = Number(answer.expires_in);
    return { token: answer.access_token, seconds: Number.isFinite(seconds) ? seconds : undefined };
  }
  // Only the error codes of RFC 6749 are shown; anything else may repeat what was sent.
  const reason = isObject(answer) && /^[a-z_]{1,40}$/.test(String(answer.error)) ? ` ${answer.error}` : '';
  throw new Fault('Unavailable', `${new URL(url).host} issued no token: ${response.status}${reason}`, {
    status: response.status,
  });
};
