import * as z from 'zod';
import { quotaKey, quotaWatchKey } from '../../kernel/item-keys.ts';
import type { Clock, Item, Log, Table } from '../../kernel/ports.ts';
import { isNewer, isUnreadable, put, read, stored } from '../../kernel/stored.ts';
import { addSums, nothing, readLedger, type Sum, sumOf } from './ledger.ts';
import { monthEnd } from './month.ts';

/** A key's counters of a month. The table adds to them itself: no format version, and a missing one is nothing yet. */
export const QuotaItem = stored<Partial<Sum>>({
  what: 'quota counter',
  version: 0,
  schema: z.object({ calls: z.int().optional(), micros: z.int().optional() }),
  cure: 'verify the usage and let it settle the counters from the ledger',
});

/** Since when a counter has stood at a revision. */
export const QuotaWatchItem = stored({
  what: 'watch on a quota',
  schema: z.object({ revision: z.int(), at: z.number() }),
});

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly quietMs?: number;
}

/** Releases reservations of crashed processes; returns whether there were any. */
export type Recount = (tenant: string, keyId: string, month: string) => Promise<boolean>;

// No tool runs longer than 900 s, so a counter unchanged for 16 minutes has no call in flight.
const QUIET_MS = 16 * 60_000;

/**
 * Recounts a key's quota from its ledger once the counter has been unchanged long enough. An exhausted quota stays
 * unchanged, since refusals do not touch it, so stale reservations are found exactly when they matter.
 */
export const createRecount = ({ table, clock, log, quietMs = QUIET_MS }: Options): Recount => {
  return async (tenant, keyId, month) => {
    const counter = await table.get(quotaKey(keyId, month));
    if (!counter || !(await stoodStill(table, keyId, month, counter, clock.now(), quietMs))) return false;
    const before = sumOfCounter(counter);
    const ledger = await sumOfKey(table, tenant, keyId, month);
    const changed = await setCounter(table, keyId, month, counter.revision, ledger);
    if (changed) log.warn('stale reservations given back', { key: keyId, month, before, after: ledger });
    return changed;
  };
};

export const sumOfKey = async (table: Table, tenant: string, keyId: string, month: string): Promise<Sum> => {
  let sum = nothing;
  for await (const record of readLedger(table, tenant, month))
    if (record.key === keyId) sum = addSums(sum, sumOf(record));
  return sum;
};

/** Sets a counter to the ledger's sum, unless it was changed since it was read. */
export const setCounter = (
  table: Table,
  keyId: string,
  month: string,
  revision: number,
  { calls, micros }: Sum,
): Promise<boolean> => {
  const key = quotaKey(keyId, month);
  return table.change([key], ([item]) => {
    const counted = item && readCounter(item);
    const same = counted?.calls === calls && counted.micros === micros;
    if (!item || item.revision !== revision || same) return { writes: [], result: false };
    return { writes: [put(key, QuotaItem, { calls, micros }, item.expires)], result: true };
  });
};

/** What a counter stands at. */
export const sumOfCounter = (item: Item): Sum => ({ ...nothing, ...read(item, QuotaItem) });

/** The counter's value; undefined when it is corrupt, so that it can be set to the ledger's sum. */
export const readCounter = (item: Item): Sum | undefined => {
  try {
    return sumOfCounter(item);
  } catch (thrown) {
    if (!isUnreadable(thrown) || isNewer(thrown)) throw thrown;
    return undefined;
  }
};

const stoodStill = (
  table: Table,
  keyId: string,
  month: string,
  counter: Item,
  now: number,
  quietMs: number,
): Promise<boolean> => {
  const key = quotaWatchKey(keyId, month);
  return table.change([key], ([seen]) => {
    const last = seen && read(seen, QuotaWatchItem);
    if (last?.revision === counter.revision) return { writes: [], result: now - last.at >= quietMs };
    const watch = { revision: counter.revision, at: now };
    return { writes: [put(key, QuotaWatchItem, watch, Math.floor(monthEnd(month) / 1000))], result: quietMs === 0 };
  });
};
