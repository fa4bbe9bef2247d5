import { totalsPk } from '../kernel/item-keys.ts';
import type { Item, Page, PageQuery, Table } from '../kernel/ports.ts';
import { readAll } from '../kernel/stored.ts';
import { hashBit, MAX_LEVELS, type ShardTotals, ShardTotalsItem } from './shard-totals.ts';

/** All sharded totals of a tenant; none where calls are folded as they are stored. */
export const readTotals = async (table: Table, tenant: string): Promise<readonly ShardTotals[]> =>
  readAll(await totalsItems(table, tenant), ShardTotalsItem);

export const totalsItems = async (table: Table, tenant: string): Promise<readonly Item[]> =>
  table.streams ? queryAll(table, totalsPk(tenant)) : [];

/** Reads all items of a partition, page by page. */
export const queryAll = async (table: Table, pk: string, query: PageQuery = {}): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page: Page = await table.query(pk, after === undefined ? query : { ...query, after });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
};

/** The totals that may hold a name: level by level, while some item is full. */
export const readTotalsOf = async (table: Table, tenant: string, name: string): Promise<readonly ShardTotals[]> => {
  if (!table.streams) return [];
  const found: ShardTotals[] = [];
  for (let path = ''; path.length <= MAX_LEVELS; path += hashBit(name, path.length)) {
    const level = readAll(await queryAll(table, totalsPk(tenant), { prefix: `${path}#` }), ShardTotalsItem);
    found.push(...level);
    if (!level.some(({ full }) => full)) break;
  }
  return found;
};
