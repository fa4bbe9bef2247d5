import { createHash } from 'node:crypto';
import * as z from 'zod';
import { sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { accountLinkKey } from '../kernel/oauth-keys.ts';
import type { Table } from '../kernel/ports.ts';
import type { SafeFetch } from '../kernel/safe-fetch.ts';
import { SealedSecret } from '../kernel/secret-box.ts';
import { put, read, stored } from '../kernel/stored.ts';
import { AccountClient, type AccountTokens } from '../model/account.ts';
import type { AccountSettings } from '../model/credentials.ts';
import type { Source } from '../model/source.ts';
import { authorizeUrl, exchangeCode, refreshTokens, revokeTokens } from './account-tokens.ts';
import { discoverClient } from './discover-client.ts';
import { requireSource } from './read-source.ts';
import type { SecretOwner, SourceSecrets } from './secrets.ts';

/** A link that was given to a caller. Only its digest is stored; the PKCE verifier is derived from the link itself. */
export const AccountLinkItem = stored({
  what: 'link to connect an account',
  schema: z.object({
    tenant: z.string(),
    source: z.string(),
    url: z.string(),
    key: z.string(),
    /** The digest of the cookie of the browser that opened it. */
    browser: z.string().optional(),
    /** The discovered client that it was opened with, so that a client discovered later does not get its code. */
    client: SealedSecret.optional(),
  }),
});
export type AccountLink = Readonly<z.infer<typeof AccountLinkItem.schema>>;

/** The accounts of callers at sources that require them. */
export interface Accounts {
  /** The token of a caller; undefined before an account is connected, or when the token cannot be refreshed. */
  token(owner: SecretOwner, keyId: string): Promise<string | undefined>;
  isConnected(owner: SecretOwner, keyId: string): Promise<boolean>;
  /** Creates a link that is valid for ten minutes. */
  createLink(owner: SecretOwner, keyId: string): Promise<{ readonly ticket: string; readonly expires_at: string }>;
  findLink(ticket: string): Promise<AccountLink | undefined>;
  /** The authorization address for the browser; from now on only this browser can finish. */
  authorize(ticket: string, browser: string, redirectUri: string): Promise<string>;
  /** Exchanges the code; the link is used up, whatever the outcome. */
  finish(ticket: string, browser: string, back: CallbackParams, redirectUri: string): Promise<AccountLink>;
  /**
   * Called when the source refuses a caller's token: refreshes it, or deletes the account. Returns whether there is a
   * new one.
   */
  replace(owner: SecretOwner, keyId: string): Promise<boolean>;
  disconnect(owner: SecretOwner, keyId: string): Promise<void>;
}

/** The parameters with which the authorization server redirects the browser back. */
export interface CallbackParams {
  readonly code: string;
  /** The issuer that claims to have given the code (RFC 9207). */
  readonly issuer: string | undefined;
}

interface Options {
  readonly table: Table;
  readonly secrets: SourceSecrets;
  readonly fetch: SafeFetch;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const LINK_MS = 600_000;
/** How long before its expiry a token is refreshed. */
const EARLY_MS = 30_000;

export const createAccounts = ({ table, secrets, fetch, now, random }: Options): Accounts => {
  const context = { fetch, now };
  const renewing = new Map<string, Promise<AccountTokens | undefined>>();
  const settingsOf = async (owner: SecretOwner): Promise<AccountSettings> => {
    const secret = (await secrets.find(owner))?.secret;
    if (typeof secret === 'object' && secret.type === 'account') return secret;
    throw new Fault('Unavailable', `the source ${owner.source} no longer uses accounts of its callers`);
  };
  /** The client to which tokens were issued. */
  const clientOf = async (owner: SecretOwner, { client }: AccountTokens): Promise<AccountClient> => {
    const given = givenClient(await settingsOf(owner)) ?? client;
    if (given) return given;
    throw new Fault('Unavailable', `the source ${owner.source} must be connected again`);
  };
  const discover = async (owner: SecretOwner, settings: AccountSettings, redirectUri: string) => {
    const { kind } = await requireSource(table, owner.tenant, owner.source);
    return discoverClient({
      ...context,
      source: { kind, url: owner.url },
      settings,
      redirectUri,
      registered: () => secrets.registered.find(owner),
      keep: (client) => secrets.registered.keep(owner, client),
    });
  };
  const renew = async (owner: SecretOwner, keyId: string, old: AccountTokens): Promise<AccountTokens | undefined> => {
    if (old.refresh_token === undefined) return undefined;
    try {
      const next = await refreshTokens(context, await clientOf(owner, old), old.refresh_token);
      await secrets.accounts.keep(owner, keyId, next);
      return next;
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.details.reason !== 'invalid_grant') throw thrown;
      // Another process may have used the refresh token first, and stored the result.
      const kept = await secrets.accounts.find(owner, keyId);
      if (kept && kept.access_token !== old.access_token) return kept;
      await secrets.accounts.drop(owner, keyId);
      return undefined;
    }
  };
  const current = async (owner: SecretOwner, keyId: string): Promise<AccountTokens | undefined> => {
    const kept = await secrets.accounts.find(owner, keyId);
    if (!kept || kept.expires_at === undefined || kept.expires_at - EARLY_MS > now()) return kept;
    return renewOnce(owner, keyId, kept);
  };
  const renewOnce = (owner: SecretOwner, keyId: string, kept: AccountTokens): Promise<AccountTokens | undefined> => {
    const id = `${owner.tenant}#${owner.source}#${keyId}`;
    const running = renewing.get(id) ?? renew(owner, keyId, kept).finally(() => renewing.delete(id));
    renewing.set(id, running);
    return running;
  };
  const requireLink = async (ticket: string): Promise<AccountLink> => {
    const item = await table.get(accountLinkKey(sha256(ticket)));
    if (item) return read(item, AccountLinkItem);
    throw new Fault('NotFound', 'this link has expired or was used; call the tool again for a new one');
  };
  return {
    token: async (owner, keyId) => (await current(owner, keyId))?.access_token,
    isConnected: async (owner, keyId) => (await secrets.accounts.find(owner, keyId)) !== undefined,
    async createLink({ tenant, source, url }, key) {
      const ticket = Buffer.from(random(32)).toString('base64url');
      const until = now() + LINK_MS;
      const link = { tenant, source, url, key };
      await table.write([put(accountLinkKey(sha256(ticket)), AccountLinkItem, link, Math.ceil(until / 1000))]);
      return { ticket, expires_at: new Date(until).toISOString() };
    },
    findLink: (ticket) => requireLink(ticket).catch(() => undefined),
    async authorize(ticket, browser, redirectUri) {
      const owner = ownerOf(await requireLink(ticket));
      const settings = await settingsOf(owner);
      const given = givenClient(settings);
      const client = given ?? (await discover(owner, settings, redirectUri));
      const sealed = given ? undefined : await secrets.seal(owner, LINK, JSON.stringify(client));
      const key = accountLinkKey(sha256(ticket));
      await table.change([key], ([item]) => {
        if (!item) throw new Fault('NotFound', 'this link has expired or was used; call the tool again for a new one');
        const bound = { ...read(item, AccountLinkItem), browser: sha256(browser), client: sealed };
        return { writes: [put(key, AccountLinkItem, bound, item.expires)], result: undefined };
      });
      return authorizeUrl(client, { state: ticket, verifier: verifierOf(ticket), redirectUri });
    },
    async finish(ticket, browser, { code, issuer }, redirectUri) {
      const key = accountLinkKey(sha256(ticket));
      const link = await table.change([key], ([item]) => {
        const found = item && read(item, AccountLinkItem);
        if (!found || found.browser === undefined || found.browser !== sha256(browser))
          throw new Fault('NotFound', 'this link was not opened in this browser, or has expired; call the tool again');
        return { writes: [{ remove: key }], result: found };
      });
      const owner = ownerOf(link);
      const given = givenClient(await settingsOf(owner));
      const client =
        given ?? (link.client && AccountClient.parse(JSON.parse(await secrets.open(owner, LINK, link.client))));
      if (!client) throw new Fault('NotFound', 'this link has expired or was used; call the tool again for a new one');
      requireIssuer(client, issuer);
      const tokens = await exchangeCode(context, client, { code, verifier: verifierOf(ticket), redirectUri });
      await secrets.accounts.keep(owner, link.key, tokens);
      return link;
    },
    async replace(owner, keyId) {
      const kept = await secrets.accounts.find(owner, keyId);
      if (kept && (await renewOnce(owner, keyId, kept))) return true;
      await secrets.accounts.drop(owner, keyId);
      return false;
    },
    async disconnect(owner, keyId) {
      const tokens = await secrets.accounts.find(owner, keyId);
      await secrets.accounts.drop(owner, keyId);
      if (tokens) await revokeTokens(context, await clientOf(owner, tokens), tokens);
    },
  };
};

const LINK = 'link';

const ownerOf = ({ tenant, source, url }: AccountLink): SecretOwner => ({ tenant, source, url });

/** The configured client, if nothing is left to discover. */
const givenClient = ({ authorize_url, token_url, client_id, ...rest }: AccountSettings): AccountClient | undefined =>
  authorize_url === undefined || token_url === undefined || client_id === undefined
    ? undefined
    : { ...rest, authorize_url, token_url, client_id };

/** A code of another server must not be sent to this one (RFC 9207). */
const requireIssuer = ({ issuer, names_issuer: isNamed }: AccountClient, came: string | undefined): void => {
  if (issuer === undefined || came === issuer || (came === undefined && isNamed !== true)) return;
  throw new Fault(
    'Forbidden',
    `the answer comes from ${came ?? 'a server that does not say who it is'}, not from ${issuer}`,
  );
};

const verifierOf = (ticket: string): string => createHash('sha256').update(`verifier ${ticket}`).digest('base64url');

/** Refuses the call of a caller without an account at the source, with a link to connect one. */
export const requireAccount = async (
  accounts: Accounts | undefined,
  tenant: string,
  { name, url = '' }: Pick<Source, 'name' | 'url'>,
  keyId: string,
): Promise<void> => {
  if (!accounts)
    throw new Fault('Unavailable', 'this process cannot store secrets, so callers cannot connect accounts');
  const owner = { tenant, source: name, url };
  if ((await accounts.token(owner, keyId)) !== undefined) return;
  const { ticket, expires_at } = await accounts.createLink(owner, keyId);
  throw new Fault(
    'AccountRequired',
    `${name} needs your own account at ${new URL(url).host}: open the link, connect it, then send the same call again`,
    { account: { source: name, path: `/v1/connect/${ticket}`, expires_at } },
  );
};
