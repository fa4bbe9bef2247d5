import type { Credentials } from '../model/credentials.ts';

/** What credentials add to a request. */
export interface SentCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** The headers and parameters for credentials; the caller fetches an OAuth token. */
export const sendCredentials = ({ headers = {}, secret }: Credentials, oauthToken?: string): SentCredentials => {
  const bearer = (token: string): SentCredentials => ({
    headers: { ...headers, authorization: `Bearer ${token}` },
    query: {},
  });
  if (secret === undefined) return { headers, query: {} };
  if (typeof secret === 'string') return bearer(secret);
  switch (secret.type) {
    case 'bearer':
      return bearer(secret.token);
    case 'header':
      return { headers: { ...headers, [secret.name]: secret.value }, query: {} };
    case 'query':
      return { headers, query: { [secret.name]: secret.value } };
    case 'basic': {
      const pair = Buffer.from(`${secret.username}:${secret.password}`).toString('base64');
      return { headers: { ...headers, authorization: `Basic ${pair}` }, query: {} };
    }
    case 'oauth':
    case 'account':
      return oauthToken === undefined ? { headers, query: {} } : bearer(oauthToken);
  }
};

/** Shorter secrets could be ordinary words. */
const SHORTEST = 6;
const HIDDEN = '[secret]';

/** A value with the secrets that were sent replaced. */
export const hideSecretsIn = <T>(value: T, sent: SentCredentials): T => {
  const text = JSON.stringify(value) ?? '';
  const hidden = hideSecrets(text, sent);
  return hidden === text ? value : (JSON.parse(hidden) as T);
};

export const hasSecrets = ({ headers, query }: SentCredentials): boolean =>
  Object.keys(headers).length > 0 || Object.keys(query).length > 0;

/** A text with the secrets that were sent replaced: an upstream may repeat them. */
export const hideSecrets = (text: string, sent: SentCredentials): string =>
  secretsIn(sent)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    .sort((a, b) => b.length - a.length)
    .reduce((hidden, value) => hidden.replaceAll(value, HIDDEN), text);

/** The same for bytes of any kind. */
export const hideSecretBytes = (bytes: Uint8Array, sent: SentCredentials): Uint8Array => {
  // As Latin-1, one character is one byte, and the replacement has the same length.
  const text = Buffer.from(bytes).toString('latin1');
  const hidden = secretsIn(sent)
    .map((value) => Buffer.from(value).toString('latin1'))
    .sort((a, b) => b.length - a.length)
    .reduce((left, value) => left.replaceAll(value, '*'.repeat(value.length)), text);
  return hidden === text ? bytes : Buffer.from(hidden, 'latin1');
};

const secretsIn = ({ headers, query }: SentCredentials): readonly string[] =>
  [...Object.values(headers), ...Object.values(query)]
    .flatMap((value) => {
      const [, scheme, rest = ''] = /^(Bearer|Basic) (.*)$/s.exec(value) ?? [];
      if (scheme !== 'Basic') return [value, rest];
      const pair = Buffer.from(rest, 'base64').toString();
      return [value, rest, pair, pair.slice(pair.indexOf(':') + 1)];
    })
    .filter((value) => value.length >= SHORTEST);
