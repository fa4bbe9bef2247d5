import { requireScope } from '../access/scopes.ts';
import { Fault } from '../kernel/errors.ts';
import type { Actor } from '../model/key.ts';
import type { Source } from '../model/source.ts';
import type { AccountLink, Accounts } from './accounts.ts';
import type { SourcesContext } from './context.ts';
import { requireSource } from './read-source.ts';
import { refreshQuietly } from './refresh.ts';
import type { SecretOwner } from './secrets.ts';

/** The caller's account at a source: connected, or the link to connect it. */
export type AccountView =
  | { readonly connected: true }
  | { readonly connected: false; readonly path: string; readonly expires_at: string };

/** A link to connect the caller's own account, unless it is already connected. */
export const connectAccount = async (context: SourcesContext, actor: Actor, name: string): Promise<AccountView> => {
  const { accounts, owner } = await requireAccounts(context, actor, name);
  if (await accounts.isConnected(owner, actor.keyId)) return { connected: true };
  const { ticket, expires_at } = await accounts.createLink(owner, actor.keyId);
  return { connected: false, path: `/v1/connect/${ticket}`, expires_at };
};

/** Deletes the caller's tokens, and revokes them where the source says how. Idempotent. */
export const disconnectAccount = async (context: SourcesContext, actor: Actor, name: string): Promise<void> => {
  const { accounts, owner } = await requireAccounts(context, actor, name);
  await accounts.disconnect(owner, actor.keyId);
};

/** Lists the tools of a source again when the account used for listing was connected. */
export const refreshConnected = async (
  context: SourcesContext,
  { tenant, source, key }: AccountLink,
): Promise<void> => {
  const { accounts } = await requireSource(context.table, tenant, source);
  if (accounts?.listed_by !== key) return;
  context.sources.drop(tenant, source);
  await refreshQuietly(context, tenant, source);
};

const requireAccounts = async (
  { table, sources }: SourcesContext,
  actor: Actor,
  name: string,
): Promise<{ readonly accounts: Accounts; readonly owner: SecretOwner }> => {
  requireScope(actor, 'invoke');
  const source: Source = await requireSource(table, actor.tenant, name);
  if (!source.accounts || !sources.accounts)
    throw new Fault('InvalidInput', `the source ${name} uses no accounts of its callers`, { field: 'name' });
  return { accounts: sources.accounts, owner: { tenant: actor.tenant, source: name, url: source.url ?? '' } };
};
