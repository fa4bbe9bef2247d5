import { createFolding, type Fold, reportUnreadable } from '../insight/fold.ts';
import { Fault } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { eventCountKey } from '../kernel/item-keys.ts';
import type { Item, Log, Table } from '../kernel/ports.ts';
import { isUnreadable } from '../kernel/stored.ts';
import { type CallRecord, isReserved } from '../model/call-record.ts';
import { appendIfReadable } from '../registry/events.ts';
import type { RecordBatch, StoredOnce, WaitingRecord } from './batch.ts';
import { countedBy, createHourMarks, isOpen, rowKey, writeRow } from './record-row.ts';

interface StoreOptions {
  readonly table: Table;
  readonly log: Log;
  readonly folds: readonly Fold[];
}

/** Stores a batch. When the table refuses it, its records are stored one by one, so that only the cause is lost. */
export const createRecordStore = (options: StoreOptions): ((batch: RecordBatch) => Promise<void>) => {
  const store = createBatchStore(options);
  const storeAlone = async (entry: WaitingRecord): Promise<void> => {
    const { tenant, record } = entry;
    try {
      await store({ tenant, entries: [entry] });
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      options.log.error('record lost', { tenant, call_id: record.call_id, error: thrown.message });
      entry.outcome = { refusal: thrown };
    }
  };
  return async (batch) => {
    try {
      await store(batch);
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      for (const entry of batch.entries) if (!entry.outcome) await storeAlone(entry);
    }
  };
};

/** Whether the table refused the records themselves, or a row they belong to cannot be read. */
const isRefusal = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && (thrown.code === 'TooLarge' || thrown.code === 'InvalidInput' || isUnreadable(thrown));

/** Stores one tenant's records, with their totals and events in the same transaction where there is no stream. */
const createBatchStore = ({ table, folds, log }: StoreOptions) => {
  const markHour = createHourMarks(table);
  return async ({ tenant, entries }: RecordBatch): Promise<void> => {
    for (const { record } of entries) {
      const marking = markHour(tenant, timeOf(record));
      // Nearly every hour is marked already, and awaiting nothing would still cost a turn.
      if (marking !== undefined) await marking;
    }
    if (table.streams) return storeRows(table, tenant, entries);
    reportUnreadable(log, tenant, await storeFolded(table, folds, tenant, entries));
    for (const entry of entries) entry.outcome = {};
  };
};

/** Earlier releases had no row while a call was only reserved. */
const canEnd = ({ isReserved: mustBe }: WaitingRecord, row: Item | undefined): boolean =>
  mustBe ? row === undefined || isReserved(row) : isOpen(row);

/** The stream folds each row once, when it ends. */
const storeRows = async (table: Table, tenant: string, entries: readonly WaitingRecord[]): Promise<void> => {
  const plain = entries.filter(({ once }) => !once);
  await table.write(plain.map(({ record }) => writeRow(tenant, record)));
  for (const entry of plain) entry.outcome = {};
  for (const entry of entries) {
    const { record, once } = entry;
    if (!once) continue;
    const stored = await table.change<StoredOnce>([rowKey(tenant, record)], ([row]) =>
      canEnd(entry, row)
        ? { writes: [writeRow(tenant, record)], result: { isStored: true, counted: countedBy(row) } }
        : { writes: [], result: { isStored: false } },
    );
    once(stored);
    entry.outcome = {};
  }
};

const storeFolded = async (
  table: Table,
  folds: readonly Fold[],
  tenant: string,
  entries: readonly WaitingRecord[],
): Promise<readonly Fault[]> => {
  const whole = createFolding(folds, tenant, recordsOf(entries));
  const guarded = entries.filter(({ once }) => once);
  const rowKeys = guarded.map(({ record }) => rowKey(tenant, record));
  const keys = [eventCountKey(tenant), ...rowKeys, ...whole.keys];
  const { faults, stored } = await table.change(keys, ([count, ...items]) => {
    const rows = new Map(guarded.map((entry, at) => [entry, items[at]]));
    const open = entries.filter((entry) => !entry.once || canEnd(entry, rows.get(entry)));
    const folding = open.length === entries.length ? whole : createFolding(folds, tenant, recordsOf(open));
    const { writes, events, unreadable } = folding.fold(items.slice(guarded.length));
    const placed = appendIfReadable(tenant, count, events);
    const known = guarded.map(
      (entry): StoredOnce => ({
        isStored: open.includes(entry),
        counted: countedBy(rows.get(entry)),
      }),
    );
    return {
      writes: [...open.map(({ record }) => writeRow(tenant, record)), ...writes, ...placed.writes],
      result: { faults: [...unreadable, ...placed.unreadable], stored: known },
    };
  });
  for (const [at, { once }] of guarded.entries()) once?.(stored[at] ?? { isStored: true });
  return faults;
};

const recordsOf = (entries: readonly WaitingRecord[]): readonly CallRecord[] => entries.map(({ record }) => record);

// The key is derived from the id, so the hour must be too.
const timeOf = ({ call_id: id, at }: CallRecord): number => timeOfUlid(id) ?? Date.parse(at);
