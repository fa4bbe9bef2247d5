import { reportUnreadable } from '../insight/fold.ts';
import {
  addEntries,
  emptyTotals,
  fitsIn,
  hashBit,
  MAX_LEVELS,
  ShardTotalsItem,
  type TotalEntry,
} from '../insight/shard-totals.ts';
import { totalsKey } from '../kernel/item-keys.ts';
import { isNewer, isUnreadable, put, read } from '../kernel/stored.ts';
import type { CallRecord } from '../model/call-record.ts';
import { usageName } from './billing/usage.ts';
import { compactTotals } from './compact-totals.ts';
import type { FoldContext, StreamedCall } from './fold-stream.ts';
import { reportFailures } from './report-failures.ts';

/**
 * Folds a shard's calls into items that only this shard writes, one per tenant while its totals fit. Each item has its
 * own checkpoint, so every write is one conditional update, and shards never contend.
 */
export const foldShard = async (context: FoldContext, calls: readonly StreamedCall[], shard: string): Promise<void> => {
  const tenants = [...Map.groupBy(calls, ({ tenant }) => tenant)];
  for (let at = 0; at < tenants.length; at += AT_ONCE)
    await Promise.all(tenants.slice(at, at + AT_ONCE).map(([tenant, own]) => foldTenant(context, tenant, shard, own)));
};

/** Tenants processed together, so that one request reads all their items; the SDK's 50 connections write them. */
const AT_ONCE = 100;

const foldTenant = async (
  context: FoldContext,
  tenant: string,
  shard: string,
  calls: readonly StreamedCall[],
): Promise<void> => {
  try {
    const isNew = await foldInto(context, { tenant, shard, path: '', since: '' }, calls.flatMap(toEntries));
    await reportFailures(context, tenant, shard, calls);
    if (isNew) await compactTotals(context, tenant);
  } catch (thrown) {
    // Corrupt totals are left alone while other tenants are folded; those of a newer release wait for the update of
    // this function.
    if (!isUnreadable(thrown) || isNewer(thrown)) throw thrown;
    if (context.log) reportUnreadable(context.log, tenant, [thrown]);
  }
};

/** The totals to which a call is added: the statistics of its version and, on success, the usage of its key. */
const toEntries = ({ sequence, record }: StreamedCall): readonly TotalEntry[] => [
  { sequence, kind: 'stats', name: `${record.tool}#${record.version}`, record },
  ...(record.status === 'ok' ? [{ sequence, kind: 'usage', name: usageNameOf(record), record } as const] : []),
];

const usageNameOf = ({ at, key, tool }: CallRecord): string => usageName(at, key, tool);

interface Place {
  readonly tenant: string;
  readonly shard: string;
  readonly path: string;
  /** The checkpoint of the level above; a new item starts from it. */
  readonly since: string;
}

interface Step {
  readonly isNew: boolean;
  readonly below?: { readonly since: string; readonly entries: readonly TotalEntry[] };
}

/** Adds entries to an item or, if it is full, to those below it. Returns whether the item was new. */
const foldInto = async (context: FoldContext, place: Place, entries: readonly TotalEntry[]): Promise<boolean> => {
  const { tenant, shard, path, since } = place;
  const key = totalsKey(tenant, path, shard);
  const { below, isNew } = await context.table.change<Step>([key], ([item]) => {
    const totals = item ? read(item, ShardTotalsItem) : emptyTotals(since);
    const rest = { since: totals.sequence, entries };
    if (totals.full) return { writes: [], result: { below: rest, isNew: false } };
    const fresh = entries.filter(({ sequence }) => sequence > totals.sequence);
    if (fresh.length === 0) return { writes: [], result: { isNew: false } };
    const next = addEntries(totals, fresh, context.clock.now());
    const isNew = item === undefined;
    if (fitsIn(next) || path.length >= MAX_LEVELS)
      return { writes: [put(key, ShardTotalsItem, next)], result: { isNew } };
    return { writes: [put(key, ShardTotalsItem, { ...totals, full: true })], result: { below: rest, isNew } };
  });
  if (below)
    await Promise.all(
      (['0', '1'] as const).map(async (bit) => {
        const share = below.entries.filter(({ name }) => hashBit(name, path.length) === bit);
        if (share.length > 0) await foldInto(context, { ...place, path: path + bit, since: below.since }, share);
      }),
    );
  return isNew;
};
