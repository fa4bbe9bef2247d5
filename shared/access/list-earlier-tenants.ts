import * as z from 'zod';
import { API_KEYS_PREFIX, idOfApiKey, tenantKey, tenantsListedKey } from '../kernel/item-keys.ts';
import type { Key, Table } from '../kernel/ports.ts';
import { put, read, readAll, stored } from '../kernel/stored.ts';
import { ApiKeyItem, TenantItem } from '../model/key.ts';

/** Progress of the scan for tenants. */
export const TenantsListedItem = stored({
  what: 'list of tenants',
  schema: z.object({ done: z.boolean(), after: z.object({ pk: z.string(), sk: z.string() }).optional() }),
  cure: 'remove the item: the keys are then looked through again',
});

/**
 * Lists the tenants whose keys were made before tenants were listed, once per table. It scans the whole table and
 * stores its position after each page, so that an interrupted scan resumes there.
 */
export const listEarlierTenants = async (table: Table): Promise<void> => {
  const before = await table.get(tenantsListedKey);
  const known = before && read(before, TenantsListedItem);
  if (known?.done) return;
  let after: Key | undefined = known?.after;
  do {
    const { items, next } = await table.scan(API_KEYS_PREFIX, after);
    const keys = readAll(
      items.filter(({ key }) => idOfApiKey(key) !== undefined),
      ApiKeyItem,
    );
    const tenants = new Set(keys.map(({ tenant }) => tenant));
    await table.write([
      ...[...tenants].map((tenant) => put(tenantKey(tenant), TenantItem, { tenant })),
      put(tenantsListedKey, TenantsListedItem, { done: next === undefined, after: next }),
    ]);
    after = next;
  } while (after);
};
