import { TENANTS_PK } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { readAll } from '../kernel/stored.ts';
import { type Actor, TenantItem } from '../model/key.ts';
import { listEarlierTenants } from './list-earlier-tenants.ts';
import { requireScope } from './scopes.ts';

interface Page {
  readonly limit: number;
  readonly after?: string;
}

/** Every tenant that was given a key, by name; for the operator only. */
export const listTenants = async (
  { table }: { readonly table: Table },
  actor: Actor,
  page: Page,
): Promise<{ readonly tenants: readonly string[]; readonly next?: string }> => {
  requireScope(actor, 'admin');
  await listEarlierTenants(table);
  const { items, next } = await table.query(TENANTS_PK, page);
  const tenants = readAll(items, TenantItem).map(({ tenant }) => tenant);
  return next === undefined ? { tenants } : { tenants, next };
};
