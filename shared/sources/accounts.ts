import { createHash } from 'node:crypto';
import * as z from 'zod';
import { sha256 } from '../kernel/canonical-json.ts';
import { Fault } from '../kernel/errors.ts';
import { accountLinkKey } from '../kernel/oauth-keys.ts';
import type { Table } from '../kernel/ports.ts';
import type { SafeFetch } from '../kernel/safe-fetch.ts';
import { put, read, stored } from '../kernel/stored.ts';
import type { Source } from '../model/source.ts';
import { type AccountClient, authorizeUrl, exchangeCode, refreshTokens, revokeTokens } from './account-tokens.ts';
import type { AccountTokens, SecretOwner, SourceSecrets } from './secrets.ts';

/** A link that was given to a caller. Only its digest is stored; the PKCE verifier follows from the link itself. */
export const AccountLinkItem = stored({
  what: 'link to connect an account',
  schema: z.object({
    tenant: z.string(),
    source: z.string(),
    url: z.string(),
    key: z.string(),
    /** The digest of the cookie of the browser that went on with it. */
    browser: z.string().optional(),
  }),
});
export type AccountLink = Readonly<z.infer<typeof AccountLinkItem.schema>>;

/** The accounts of callers at sources that ask for them. */
export interface Accounts {
  /** The token of a caller; undefined before an account is connected, or when it cannot be renewed. */
  token(owner: SecretOwner, keyId: string): Promise<string | undefined>;
  isConnected(owner: SecretOwner, keyId: string): Promise<boolean>;
  /** Makes a link that holds for ten minutes. */
  createLink(owner: SecretOwner, keyId: string): Promise<{ readonly ticket: string; readonly expires_at: string }>;
  findLink(ticket: string): Promise<AccountLink | undefined>;
  /** Where the browser goes on; from now on only this browser can finish. */
  authorize(ticket: string, browser: string, redirectUri: string): Promise<string>;
  /** Exchanges the code; the link is used up whatever comes of it. */
  finish(ticket: string, browser: string, code: string, redirectUri: string): Promise<AccountLink>;
  /** Forgets tokens that the source does not take any more. */
  forget(owner: SecretOwner, keyId: string): Promise<void>;
  disconnect(owner: SecretOwner, keyId: string): Promise<void>;
}

interface Options {
  readonly table: Table;
  readonly secrets: SourceSecrets;
  readonly fetch: SafeFetch;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const LINK_MS = 600_000;
/** A token is renewed so long before it ends. */
const EARLY_MS = 30_000;

export const createAccounts = ({ table, secrets, fetch, now, random }: Options): Accounts => {
  const context = { fetch, now };
  const renewing = new Map<string, Promise<AccountTokens | undefined>>();
  const clientOf = async (owner: SecretOwner): Promise<AccountClient> => {
    const secret = (await secrets.find(owner))?.secret;
    if (typeof secret === 'object' && secret.type === 'account') return secret;
    throw new Fault('Unavailable', `the source ${owner.source} takes no accounts any more`);
  };
  const renew = async (owner: SecretOwner, keyId: string, old: AccountTokens): Promise<AccountTokens | undefined> => {
    if (old.refresh_token === undefined) return undefined;
    try {
      const next = await refreshTokens(context, await clientOf(owner), old.refresh_token);
      await secrets.accounts.keep(owner, keyId, next);
      return next;
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.details.reason !== 'invalid_grant') throw thrown;
      // Another process may have used the refresh token first, and kept what it got.
      const kept = await secrets.accounts.find(owner, keyId);
      if (kept && kept.access_token !== old.access_token) return kept;
      await secrets.accounts.drop(owner, keyId);
      return undefined;
    }
  };
  const current = async (owner: SecretOwner, keyId: string): Promise<AccountTokens | undefined> => {
    const kept = await secrets.accounts.find(owner, keyId);
    if (!kept || kept.expires_at === undefined || kept.expires_at - EARLY_MS > now()) return kept;
    const id = `${owner.tenant}#${owner.source}#${keyId}`;
    const running = renewing.get(id) ?? renew(owner, keyId, kept).finally(() => renewing.delete(id));
    renewing.set(id, running);
    return running;
  };
  const requireLink = async (ticket: string): Promise<AccountLink> => {
    const item = await table.get(accountLinkKey(sha256(ticket)));
    if (item) return read(item, AccountLinkItem);
    throw new Fault('NotFound', 'this link has ended; call the tool again for a new one');
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
      const { tenant, source, url } = await requireLink(ticket);
      const client = await clientOf({ tenant, source, url });
      const key = accountLinkKey(sha256(ticket));
      await table.change([key], ([item]) => {
        if (!item) throw new Fault('NotFound', 'this link has ended; call the tool again for a new one');
        const bound = { ...read(item, AccountLinkItem), browser: sha256(browser) };
        return { writes: [put(key, AccountLinkItem, bound, item.expires)], result: undefined };
      });
      return authorizeUrl(client, { state: ticket, verifier: verifierOf(ticket), redirectUri });
    },
    async finish(ticket, browser, code, redirectUri) {
      const key = accountLinkKey(sha256(ticket));
      const link = await table.change([key], ([item]) => {
        const found = item && read(item, AccountLinkItem);
        if (!found || found.browser === undefined || found.browser !== sha256(browser))
          throw new Fault('NotFound', 'this link was not opened in this browser, or has ended; call the tool again');
        return { writes: [{ remove: key }], result: found };
      });
      const owner = { tenant: link.tenant, source: link.source, url: link.url };
      const tokens = await exchangeCode(context, await clientOf(owner), {
        code,
        verifier: verifierOf(ticket),
        redirectUri,
      });
      await secrets.accounts.keep(owner, link.key, tokens);
      return link;
    },
    forget: (owner, keyId) => secrets.accounts.drop(owner, keyId),
    async disconnect(owner, keyId) {
      const tokens = await secrets.accounts.find(owner, keyId);
      await secrets.accounts.drop(owner, keyId);
      if (tokens) await revokeTokens(context, await clientOf(owner), tokens);
    },
  };
};

const verifierOf = (ticket: string): string => createHash('sha256').update(`verifier ${ticket}`).digest('base64url');

/** Refuses the call of somebody without an account at the source, with a link to connect one. */
export const requireAccount = async (
  accounts: Accounts | undefined,
  tenant: string,
  { name, url = '' }: Pick<Source, 'name' | 'url'>,
  keyId: string,
): Promise<void> => {
  if (!accounts) throw new Fault('Unavailable', 'this process keeps no secrets, so no accounts of callers');
  const owner = { tenant, source: name, url };
  if ((await accounts.token(owner, keyId)) !== undefined) return;
  const { ticket, expires_at } = await accounts.createLink(owner, keyId);
  throw new Fault(
    'AccountRequired',
    `${name} needs your own account at ${new URL(url).host}: open the link, connect it, then send the same call again`,
    { account: { source: name, path: `/v1/connect/${ticket}`, expires_at } },
  );
};
