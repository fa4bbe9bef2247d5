import { totalsItems } from '../insight/read-totals.ts';
import { sumStats } from '../insight/shard-stats.ts';
import { emptyTotals, type ShardTotals, ShardTotalsItem } from '../insight/shard-totals.ts';
import { emptyStats, StatsItem } from '../insight/stats.ts';
import { statsKey, usageKey } from '../kernel/item-keys.ts';
import type { Item, Key, Write } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { addSums, nothing } from './billing/ledger.ts';
import { UsageItem } from './billing/usage.ts';
import type { FoldContext } from './fold-stream.ts';

/** The stream keeps records for a day, so after that no record can be redelivered to an item. */
const IDLE_MS = 25 * 3_600_000;
/** An emptied item expires when its shard has certainly been closed. */
const RETENTION_SECONDS = 8 * 86_400;
/** A transaction holds 100 items. */
const MAX_NAMES = 45;

/**
 * Moves the counts of closed shards into compacted totals, so that reads stay short: a shard lives for four hours. Each
 * item is moved in one transaction, on the condition that it is unchanged.
 */
export const compactTotals = async (context: FoldContext, tenant: string): Promise<void> => {
  const idle = context.clock.now() - IDLE_MS;
  for (const item of await totalsItems(context.table, tenant)) {
    const { at, stats, usage } = read(item, ShardTotalsItem);
    if (at < idle && Object.keys(stats).length + Object.keys(usage).length > 0)
      await compact(context, tenant, item.key);
  }
};

/** Moves a few names at a time and removes them from the item in the same transaction. */
const compact = async ({ table, clock }: FoldContext, tenant: string, key: Key): Promise<void> => {
  for (let isLeft = true; isLeft; ) {
    const item = await table.get(key);
    if (!item) return;
    const seen = read(item, ShardTotalsItem);
    const stats = Object.keys(seen.stats).slice(0, MAX_NAMES);
    const usage = Object.keys(seen.usage).slice(0, MAX_NAMES - stats.length);
    const bases = [...stats.map((id) => statsBase(tenant, id)), ...usage.map((id) => usageBase(tenant, id))];
    isLeft = await table.change([key, ...bases], ([now, ...stored]) => {
      if (now === undefined || now.revision !== item.revision) return { writes: [], result: now !== undefined };
      const left = without(read(now, ShardTotalsItem), stats, usage);
      const isEmpty = Object.keys(left.stats).length + Object.keys(left.usage).length === 0;
      const expires = Math.floor(clock.now() / 1000) + RETENTION_SECONDS;
      const writes: readonly Write[] = [
        ...stats.map((id, at) => movedStats(tenant, id, read(now, ShardTotalsItem), stored[at])),
        ...usage.map((id, at) => movedUsage(tenant, id, read(now, ShardTotalsItem), stored[stats.length + at])),
        put(key, ShardTotalsItem, left, isEmpty ? expires : undefined),
      ];
      return { writes, result: !isEmpty };
    });
  }
};

const statsBase = (tenant: string, id: string): Key => {
  const [tool = '', version = ''] = id.split('#');
  return statsKey(tenant, tool, version);
};
const usageBase = (tenant: string, id: string): Key => {
  const [month = '', key = '', tool = ''] = id.split('#');
  return usageKey(tenant, month, key, tool);
};

const movedStats = (tenant: string, id: string, { stats }: ShardTotals, base: Item | undefined): Write => {
  const [tool = '', version = ''] = id.split('#');
  const held = stats[id];
  const sum = sumStats(tool, version, base && read(base, StatsItem), held ? [held] : []);
  return put(statsBase(tenant, id), StatsItem, sum ?? emptyStats(tool, version));
};

const movedUsage = (tenant: string, id: string, { usage }: ShardTotals, base: Item | undefined): Write => {
  const [, key = '', tool = ''] = id.split('#');
  const [calls, micros] = usage[id] ?? [0, 0];
  const sums = addSums(base ? read(base, UsageItem) : nothing, { calls, micros });
  return put(usageBase(tenant, id), UsageItem, { key, tool, ...sums });
};

const without = (totals: ShardTotals, stats: readonly string[], usage: readonly string[]): ShardTotals => ({
  ...emptyTotals(totals.sequence),
  at: totals.at,
  full: totals.full || undefined,
  stats: Object.fromEntries(Object.entries(totals.stats).filter(([id]) => !stats.includes(id))),
  usage: Object.fromEntries(Object.entries(totals.usage).filter(([id]) => !usage.includes(id))),
});
