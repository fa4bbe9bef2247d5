import type { Fault } from '../kernel/errors.ts';
import type { Item, Key, Log, Write } from '../kernel/ports.ts';
import { isUnreadable, put, read, type Stored } from '../kernel/stored.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { NewEvent } from '../registry/events.ts';

/**
 * An aggregate over calls. Where the table has no stream it is folded in the transaction that stores the calls,
 * otherwise from the stream; either way each call is added exactly once.
 */
interface Total<T> {
  /** The aggregate a call belongs to; none when it does not count. */
  keyOf(tenant: string, record: CallRecord): Key | undefined;
  /** The aggregate with more calls, at least one, and the events to publish. Pure: it may run again. */
  add(
    total: T | undefined,
    records: readonly CallRecord[],
  ): { readonly total: T; readonly events?: readonly NewEvent[] };
}

/** An aggregate of any kind, together with its stored item. */
export interface Fold {
  keyOf(tenant: string, record: CallRecord): Key | undefined;
  add(key: Key, item: Item | undefined, records: readonly CallRecord[]): Added;
}

export interface Added {
  readonly write: Write;
  readonly events?: readonly NewEvent[];
}

/** Stores an aggregate in items of one kind. */
export const foldInto = <T extends object>(kind: Stored<T>, { keyOf, add }: Total<T>): Fold => ({
  keyOf,
  add(key, item, records) {
    const { total, events } = add(item && read(item, kind), records);
    return { write: put(key, kind, total), events };
  },
});

export interface Folded {
  readonly writes: readonly Write[];
  readonly events: readonly NewEvent[];
  /** Why aggregates were not updated. Calls are stored all the same: the ledger is the source of truth. */
  readonly unreadable: readonly Fault[];
}

export interface Folding {
  /** The keys of all aggregates that the calls touch, without duplicates. */
  readonly keys: readonly Key[];
  /** Adds the calls to their stored aggregates. Pure: it may run again. */
  fold(stored: readonly (Item | undefined)[]): Folded;
}

/** The aggregates of a tenant's calls. */
export const createFolding = (folds: readonly Fold[], tenant: string, records: readonly CallRecord[]): Folding => {
  const shares = sharesOf(folds, tenant, records);
  return {
    keys: shares.map(({ key }) => key),
    fold(stored) {
      const totals = new Map(stored.flatMap((item) => (item ? [[joinKey(item.key), item]] : [])));
      const unreadable: Fault[] = [];
      const added = shares.flatMap(({ fold, key, records: share }) => {
        try {
          return [fold.add(key, totals.get(joinKey(key)), share)];
        } catch (thrown) {
          if (!isUnreadable(thrown)) throw thrown;
          unreadable.push(thrown);
          return [];
        }
      });
      return {
        writes: added.map(({ write }) => write),
        events: added.flatMap(({ events = [] }) => events),
        unreadable,
      };
    },
  };
};

/** Logs which aggregates or events were left out. */
export const reportUnreadable = (log: Pick<Log, 'error'>, tenant: string, faults: readonly Fault[]): void => {
  for (const { message } of faults) log.error('calls are stored, but not counted', { tenant, error: message });
};

interface Share {
  readonly fold: Fold;
  readonly key: Key;
  readonly records: CallRecord[];
}

/** Groups calls by aggregate. */
const sharesOf = (folds: readonly Fold[], tenant: string, records: readonly CallRecord[]): readonly Share[] => {
  const shares = new Map<string, Share>();
  for (const fold of folds)
    for (const record of records) {
      const key = fold.keyOf(tenant, record);
      if (!key) continue;
      const share = shares.get(joinKey(key));
      if (share) share.records.push(record);
      else shares.set(joinKey(key), { fold, key, records: [record] });
    }
  return [...shares.values()];
};

const joinKey = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
