import type { Table } from '../kernel/ports.ts';
import { put, readAll } from '../kernel/stored.ts';
import { totalsItems } from './read-totals.ts';
import { type ShardTotals, ShardTotalsItem } from './shard-totals.ts';

/** Ends the run of failures of a version, `<tool>#<version>`, in all shards of the stream; its counts stay. */
export const forgetFailures = async (table: Table, tenant: string, id: string): Promise<void> => {
  for (const { key } of await totalsItems(table, tenant))
    await table.change([key], ([item]) => {
      const totals = item && readAll([item], ShardTotalsItem)[0];
      const next = totals && withoutRun(totals, id);
      return { writes: next ? [put(key, ShardTotalsItem, next, item.expires)] : [], result: undefined };
    });
};

const withoutRun = (totals: ShardTotals, id: string): ShardTotals | undefined => {
  const known = Object.hasOwn(totals.stats, id) ? totals.stats[id] : undefined;
  if (known?.failed_in_a_row === undefined && known?.faults_at === undefined) return undefined;
  const { failed_in_a_row: _, faults_at: __, ...rest } = known;
  return { ...totals, stats: { ...totals.stats, [id]: rest } };
};
