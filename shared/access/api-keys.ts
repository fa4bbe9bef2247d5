import { Fault } from '../kernel/errors.ts';
import { apiKeyKey, KEY_OF_TENANT_PREFIX, keyOfTenantKey, tenantKey, toolsPk } from '../kernel/item-keys.ts';
import type { Clock, Page, Table } from '../kernel/ports.ts';
import { put, read, readAll } from '../kernel/stored.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import {
  type Actor,
  type ApiKey,
  ApiKeyItem,
  KeyOfTenantItem,
  type KeyView,
  NewKey,
  TenantItem,
} from '../model/key.ts';
import { countKey, uncountKey } from './count-keys.ts';
import { withinOwnLimits } from './given-limits.ts';
import { hasScope, requireScope } from './scopes.ts';
import { digestOfKey, formatKey } from './secret.ts';
import { requireVisible, visibleTools } from './visible-tools.ts';

export interface KeyContext {
  readonly table: Table;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
}

/** Creates a key; its text is returned once and never stored. */
export const createKey = async (
  { table, clock, random }: KeyContext,
  actor: Actor,
  input: unknown,
): Promise<KeyView & { readonly key: string }> => {
  requireScope(actor, 'tenant_admin');
  const parsed = NewKey.safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error, input, 'the key');
  requireWithin(actor, parsed.data.tools);
  requireOwn(actor, parsed.data);
  const given = withinOwnLimits(actor, parsed.data);
  const now = clock.now();
  if (given.expires_at !== undefined && Date.parse(given.expires_at) <= now)
    throw new Fault('InvalidInput', `expires_at ${given.expires_at} is in the past`, { field: 'expires_at' });
  const id = clock.newId().toLowerCase();
  const text = formatKey(id, random(24));
  const stored: ApiKey = {
    ...given,
    id,
    tenant: given.tenant ?? actor.tenant,
    digest: digestOfKey(text),
    created_at: new Date(now).toISOString(),
  };
  await countKey({ table, clock }, stored.tenant, hasScope(actor, 'admin'));
  await table.write([
    put(apiKeyKey(id), ApiKeyItem, stored),
    put(keyOfTenantKey(stored.tenant, id), KeyOfTenantItem, { id }),
    put(tenantKey(stored.tenant), TenantItem, { tenant: stored.tenant }),
  ]);
  return { ...toKeyView(stored), key: text };
};

/** A tenant admin makes keys for its own tenant only, and only with scopes that it has itself. */
const requireOwn = (actor: Actor, { tenant, scopes }: NewKey): void => {
  if (hasScope(actor, 'admin')) return;
  if (tenant !== undefined && tenant !== actor.tenant)
    throw new Fault('Forbidden', `this key makes keys of the tenant ${actor.tenant}, not of ${tenant}; leave it out`, {
      field: 'tenant',
    });
  const missing = scopes.filter((scope) => !actor.scopes.has(scope));
  if (missing.length > 0)
    throw new Fault(
      'Forbidden',
      `this key has the scopes ${[...actor.scopes].join(', ')}; it cannot give ${missing.join(', ')}`,
      { field: 'scopes', scopes: [...actor.scopes] },
    );
};

/** A key confined to some tools cannot create a key that sees more. */
const requireWithin = (actor: Actor, tools: readonly string[] | undefined): void => {
  if (visibleTools(actor).only === undefined) return;
  if (tools === undefined)
    throw new Fault('Forbidden', 'this key is confined to some tools; name those of the new key in tools', {
      field: 'tools',
    });
  for (const name of tools) requireVisible(actor, name);
};

export const findKey = async (table: Table, id: string): Promise<ApiKey | undefined> => {
  const item = await table.get(apiKeyKey(id));
  return item && read(item, ApiKeyItem);
};

/** Whether a key sees all that another one may use. */
const seesKey = (actor: Actor, { tools }: Pick<ApiKey, 'tools'>): boolean => {
  const { only } = visibleTools(actor);
  return only === undefined || (tools?.every((name) => only.has(name)) ?? false);
};

/** Lists the tenant's keys, oldest first; a confined key sees those that are confined to its own tools. */
export const listKeys = async (
  { table }: Pick<KeyContext, 'table'>,
  actor: Actor,
  page: { readonly limit?: number; readonly after?: string } = {},
): Promise<{ readonly keys: readonly KeyView[]; readonly next?: string }> => {
  requireScope(actor, 'tenant_admin');
  const { tenant } = actor;
  const { items, next }: Page = await table.query(toolsPk(tenant), {
    prefix: KEY_OF_TENANT_PREFIX,
    limit: page.limit ?? 100,
    after: page.after && keyOfTenantKey(tenant, page.after).sk,
  });
  const found = await Promise.all(readAll(items, KeyOfTenantItem).map(({ id }) => table.get(apiKeyKey(id))));
  const keys = readAll(
    found.filter((item) => item !== undefined),
    ApiKeyItem,
  )
    .filter((key) => seesKey(actor, key))
    .map(toKeyView);
  return next === undefined ? { keys } : { keys, next: next.slice(KEY_OF_TENANT_PREFIX.length) };
};

/** Revokes a key of the tenant permanently; it stays listed, with the time. */
export const revokeKey = async (
  { table, clock }: Pick<KeyContext, 'table' | 'clock'>,
  actor: Actor,
  id: string,
): Promise<void> => {
  requireScope(actor, 'tenant_admin');
  const isNew = await table.change([apiKeyKey(id)], ([item]) => {
    const key = item && read(item, ApiKeyItem);
    if (!key || key.tenant !== actor.tenant || !seesKey(actor, key))
      throw new Fault('NotFound', `no key with the id ${JSON.stringify(id)}`, { id });
    if (key.scopes.includes('admin') && !hasScope(actor, 'admin'))
      throw new Fault('Forbidden', `the key ${id} is the operator's; only an admin key revokes it`, { id });
    if (key.revoked_at !== undefined) return { writes: [], result: false };
    const revoked = { ...key, revoked_at: new Date(clock.now()).toISOString() };
    return { writes: [put(apiKeyKey(id), ApiKeyItem, revoked)], result: true };
  });
  if (isNew) await uncountKey(table, actor.tenant);
};

const toKeyView = ({ digest: _, ...view }: ApiKey): KeyView => view;
