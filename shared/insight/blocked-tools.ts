import { blocksPk } from '../kernel/item-keys.ts';
import type { Clock, Table } from '../kernel/ports.ts';
import { readAll } from '../kernel/stored.ts';
import { BlockItem } from './block.ts';

/** The versions of a tenant that are on the automatic blacklist, as `<tool>#<version>`. */
export type BlockedTools = (tenant: string) => Promise<ReadonlySet<string>>;

const MAX_TENANTS = 10_000;

/** Reads the table at most every ten seconds per tenant, so that a successful trial is noticed soon. */
export const createBlockedTools = (table: Table, clock: Pick<Clock, 'now'>, keptMs = 10_000): BlockedTools => {
  const known = new Map<string, { readonly at: number; readonly ids: ReadonlySet<string> }>();
  return async (tenant) => {
    const found = known.get(tenant);
    if (found && clock.now() - found.at < keptMs) return found.ids;
    const { items } = await table.query(blocksPk(tenant));
    const ids = new Set(items.filter((item) => readAll([item], BlockItem)[0]?.block).map(({ key }) => key.sk));
    if (known.size >= MAX_TENANTS) known.clear();
    known.set(tenant, { at: clock.now(), ids });
    return ids;
  };
};
