import { KEY_OF_TENANT_PREFIX, toolsPk } from '../kernel/item-keys.ts';
import type { Item, Key, Table } from '../kernel/ports.ts';
import { keyPartition, partitionsOfTenant } from '../kernel/tenant-keys.ts';

/** Every item of a tenant, its keys last: an interrupted deletion still finds them when it is repeated. */
export async function* itemsOfTenant(table: Table, tenant: string): AsyncGenerator<readonly Item[]> {
  let after: Key | undefined;
  do {
    const { items, next } = await table.scan(partitionsOfTenant(tenant), after);
    yield items;
    after = next;
  } while (after);
  const { items: own } = await table.query(toolsPk(tenant));
  yield own.filter(({ key }) => !isMark(key));
  for (const mark of own.filter(({ key }) => isMark(key))) {
    const { items } = await table.query(keyPartition(mark.key.sk.slice(KEY_OF_TENANT_PREFIX.length)));
    yield [...items, mark];
  }
}

const isMark = ({ sk }: Key): boolean => sk.startsWith(KEY_OF_TENANT_PREFIX);
