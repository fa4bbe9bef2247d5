import * as z from 'zod';
import type { Clock, Item, Log, Table } from '../../kernel/ports.ts';
import { quotaKey, quotaWatchKey } from '../../kernel/quota-keys.ts';
import { isNewer, isUnreadable, put, read, stored } from '../../kernel/stored.ts';
import type { ReservedCall } from '../../model/call-record.ts';
import { addSums, nothing, readLedger, type Sum, sumOfRow } from './ledger.ts';
import { monthEnd } from './month.ts';
import { lapseRow, stampRow } from './reservations.ts';

/**
 * A key's counters of a month. The table increments them itself, so they have no format version, and a missing one is
 * 0.
 */
export const QuotaItem = stored<Partial<Counter>>({
  what: 'quota counter',
  version: 0,
  schema: z.object({ calls: z.int().optional(), micros: z.int().optional(), recounts: z.int().optional() }),
  cure: 'verify the usage and let it settle the counters from the ledger',
});

export interface Counter extends Sum {
  /**
   * The number of the latest recount, which only grows: counts and returns are conditional on a number not exceeded
   * since.
   */
  readonly recounts: number;
}

/** Until when a recount would change nothing, if the counter still has this revision. */
export const QuotaWatchItem = stored<{ readonly revision: number; readonly due: number }>({
  what: 'watch on a quota',
  version: 2,
  schema: z.object({ revision: z.int(), due: z.number() }),
  upgrades: { 1: ({ revision }) => ({ revision, due: 0 }) },
});

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Brings a key's counter in line with its ledger; returns what changed. */
export type Recount = (tenant: string, keyId: string, month: string, options?: RecountOptions) => Promise<Recounted>;

interface RecountOptions {
  /** Recounts even if nothing suggests a difference. */
  readonly isForced?: boolean;
  /** How often the ledger is read again when calls interfere. */
  readonly maxTries?: number;
}

export interface Recounted {
  readonly isChanged: boolean;
  readonly before?: Sum | undefined;
  readonly after?: Sum;
  /** Calls interfered every time, so the result is unknown. */
  readonly isGivenUp?: true;
}

const MAX_TRIES = 10;
const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Recounts a key's quota from its ledger while calls go on. The counter is read before the ledger, so that the ledger
 * has the row of every counted call. Rows of calls in flight are marked with the recount that included them, so that a
 * call between its row and its count is counted once. Rows whose time is up lapse.
 */
export const createRecount = ({ table, clock, log }: Options): Recount => {
  return async (tenant, keyId, month, { isForced = false, maxTries = MAX_TRIES } = {}) => {
    for (let tries = 0; tries < maxTries; tries++) {
      const counter = await table.get(quotaKey(keyId, month));
      if (!counter || !(isForced || (await isDue(table, keyId, month, counter, clock.now())))) return unchanged;
      const before = readCounter(counter);
      const found = await sumOfKey(table, tenant, keyId, month);
      const now = clock.now();
      const { recounts = 0 } = before ?? {};
      const number = Math.max(recounts + 1, now * 1000 + tries);
      const isLapsing = found.reserved.some(({ until }) => until <= now);
      const fenced = isLapsing ? await fence(table, counter, before, number) : counter;
      const live = fenced && (await closeRows(table, tenant, found.reserved, number, now));
      if (!fenced || !live) continue;
      const { sum } = live;
      const after = addSums(found.ended, sum);
      if (!(await setCounter(table, keyId, month, fenced, { ...after, recounts: number }, live.due))) continue;
      const isChanged = before === undefined || !same(before, after);
      if (isChanged) log.warn('quota recounted from the ledger', { key: keyId, month, before, after });
      return { isChanged, before, after };
    }
    return { isChanged: false, isGivenUp: true };
  };
};

const unchanged: Recounted = { isChanged: false };

/**
 * Stores the recount's number before rows lapse: a process that was suspended between its row and its count must not
 * count an ended call, even if this recount is interrupted. Undefined when the counter has changed since it was read.
 */
const fence = (
  table: Table,
  { key, revision, expires }: Item,
  before: Counter | undefined,
  recounts: number,
): Promise<Pick<Item, 'revision'> | undefined> =>
  table.change<Pick<Item, 'revision'> | undefined>([key], ([item]) =>
    item?.revision === revision
      ? { writes: [put(key, QuotaItem, { ...before, recounts }, expires)], result: { revision: revision + 1 } }
      : { writes: [], result: undefined },
  );

/** Lapses the rows whose time is up and marks the others; undefined when one of them has just ended. */
const closeRows = async (
  table: Table,
  tenant: string,
  rows: readonly ReservedCall[],
  recount: number,
  now: number,
): Promise<{ readonly sum: Sum; readonly due: number } | undefined> => {
  let sum = nothing;
  let due = NEVER;
  for (const row of rows) {
    const isLive = row.until > now;
    const isDone = isLive ? await stampRow(table, tenant, row, recount) : await lapseRow(table, tenant, row, now);
    if (!isDone) return undefined;
    if (!isLive) continue;
    sum = addSums(sum, { calls: 1, micros: row.micros });
    due = Math.min(due, row.until);
  }
  return { sum, due };
};

/** The sum of a key's ended calls in the ledger, and its calls in flight. */
export const sumOfKey = async (
  table: Table,
  tenant: string,
  keyId: string,
  month: string,
): Promise<{ readonly ended: Sum; readonly reserved: readonly ReservedCall[] }> => {
  let ended = nothing;
  const reserved: ReservedCall[] = [];
  for await (const row of readLedger(table, tenant, month)) {
    if ('ended' in row) ended = row.ended.key === keyId ? addSums(ended, sumOfRow(row)) : ended;
    else if (row.reserved.key === keyId) reserved.push(row.reserved);
  }
  return { ended, reserved };
};

/** Sets a counter, unless it has changed since it was read. */
const setCounter = (
  table: Table,
  keyId: string,
  month: string,
  { revision }: Pick<Item, 'revision'>,
  counter: Counter,
  due: number,
): Promise<boolean> => {
  const [key, watchKey] = [quotaKey(keyId, month), quotaWatchKey(keyId, month)];
  return table.change([key, watchKey], ([item]) => {
    if (!item || item.revision !== revision) return { writes: [], result: false };
    const watch = { revision: revision + 1, due };
    return {
      writes: [
        put(key, QuotaItem, counter, item.expires),
        put(watchKey, QuotaWatchItem, watch, Math.floor(monthEnd(month) / 1000)),
      ],
      result: true,
    };
  });
};

/** The value of a counter. */
export const readSum = (item: Item): Counter => ({ ...nothing, recounts: 0, ...read(item, QuotaItem) });

/** The value of a counter; undefined when it is corrupt, so that it can be replaced by the ledger's sum. */
export const readCounter = (item: Item): Counter | undefined => {
  try {
    return readSum(item);
  } catch (thrown) {
    if (!isUnreadable(thrown) || isNewer(thrown)) throw thrown;
    return undefined;
  }
};

const same = (a: Sum, b: Sum): boolean => a.calls === b.calls && a.micros === b.micros;

/**
 * The counter of a used-up quota does not change, since refusals do not touch it: it is recounted only when a row may
 * have lapsed since.
 */
const isDue = async (table: Table, keyId: string, month: string, counter: Item, now: number): Promise<boolean> => {
  const seen = await table.get(quotaWatchKey(keyId, month));
  const last = seen && read(seen, QuotaWatchItem);
  return last?.revision !== counter.revision || now >= last.due;
};
