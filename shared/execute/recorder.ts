import { createFolding, type Fold, reportUnreadable } from '../insight/fold.ts';
import { createEndOfTurn } from '../kernel/end-of-turn.ts';
import { type Fault, messageOf } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { eventCountKey } from '../kernel/item-keys.ts';
import type { Item, Log, Table, Timers } from '../kernel/ports.ts';
import { type CallRecord, isReserved } from '../model/call-record.ts';
import { appendIfReadable } from '../registry/events.ts';
import { type RecordBatch, type StoredOnce, takeBatch, type WaitingRecord } from './batch.ts';
import { alreadyEnded } from './earlier-call.ts';
import { countedBy, createHourMarks, isOpen, rowKey, writeRow } from './record-row.ts';

/** Stores call records in batches. */
export interface Recorder {
  /** Queues a record; the promise, if any, resolves when it is stored. */
  keep(tenant: string, record: CallRecord, isUrgent: boolean): Promise<void> | undefined;
  /**
   * Stores the record of a call with a reservation or a fixed id; throws if the call has already ended. Returns the
   * recount of the quota that had counted it. Where several processes may settle a reserved call, the first one ends
   * it.
   */
  keepOnce(tenant: string, record: CallRecord, isReserved?: boolean): Promise<number | undefined>;
  /** Stores everything queued. */
  flush(): Promise<void>;
  /** Marks a call as in flight; the returned function marks it as ended. */
  begin(): () => void;
  /** Waits briefly for calls in flight, stores everything, and closes. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly table: Table;
  readonly log: Log;
  readonly timers: Pick<Timers, 'after'>;
  readonly folds: readonly Fold[];
  /** How long a record may wait for a batch; 0 stores each before its call is answered, as Lambda requires. */
  readonly delayMs?: number;
  /** Receives every record, for metrics. */
  readonly observe?: (tenant: string, record: CallRecord) => void;
}

const MAX_WAITING = 2000;
const MAX_KEPT = 20_000;
const RETRY_MS = 500;
const MAX_PATIENCE_MS = 2000;
const MAX_TURNS = 8;

export const createRecorder = (options: RecorderOptions): Recorder => {
  const { table, log, timers, delayMs = 20, observe } = options;
  const waiting: WaitingRecord[] = [];
  const store = createStore(options);
  let running: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;
  let calls = 0;
  let isClosed = false;
  let onQuiet = (): void => {};

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting, table.streams ? [] : options.folds);
      try {
        await store(batch);
      } catch (thrown) {
        waiting.unshift(...batch.entries);
        log.error('records not stored; trying again', { waiting: waiting.length, error: messageOf(thrown) });
        forgetOldest(waiting, log);
        flushAfter(RETRY_MS);
        throw thrown;
      }
    }
  };
  const flush = (): Promise<void> => {
    stopTimer?.();
    stopTimer = undefined;
    running ??= drain().finally(() => {
      running = undefined;
    });
    return running;
  };
  const endOfTurn = createEndOfTurn();
  let soon: Promise<void> | undefined;
  // Calls that end at about the same time share a transaction: as long as each turn of the event loop brings more, it
  // waits.
  const gather = async (): Promise<void> => {
    let seen = 0;
    for (let turn = 0; turn < MAX_TURNS && waiting.length > seen; turn++) {
      seen = waiting.length;
      await endOfTurn();
    }
    soon = undefined;
    return flush();
  };
  const flushSoon = (): Promise<void> => {
    soon ??= gather();
    return soon;
  };
  const flushAfter = (milliseconds: number): void => {
    if (isClosed) return;
    // Failures are logged where they happen, and retried.
    stopTimer ??= timers.after(milliseconds, () => void flush().catch(() => {}));
  };

  const queue = (entry: WaitingRecord, isUrgent: boolean): Promise<void> | undefined => {
    const { tenant, record } = entry;
    observe?.(tenant, record);
    if (isClosed) {
      log.error('record lost: its call ended after all was stored', { tenant, call_id: record.call_id });
      return undefined;
    }
    waiting.push(entry);
    if (isUrgent || delayMs === 0 || waiting.length >= MAX_WAITING) return flushSoon();
    flushAfter(delayMs);
    return undefined;
  };

  return {
    flush,
    begin() {
      calls++;
      return () => {
        if (--calls === 0) onQuiet();
      };
    },
    async close() {
      if (calls > 0) await quiet(timers, (heard) => (onQuiet = heard));
      isClosed = true;
      await flush();
    },
    keep: (tenant, record, isUrgent) => queue({ tenant, record }, isUrgent),
    async keepOnce(tenant, record, mustBeReserved) {
      let stored: StoredOnce | undefined;
      await queue({ tenant, record, isReserved: mustBeReserved, once: (known) => (stored = known) }, true);
      if (stored?.isStored === false) throw alreadyEnded(record.call_id);
      return stored?.counted;
    },
  };
};

const quiet = (timers: Pick<Timers, 'after'>, listen: (heard: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const stopTimer = timers.after(MAX_PATIENCE_MS, resolve);
    listen(() => {
      stopTimer();
      resolve();
    });
  });

const forgetOldest = (waiting: WaitingRecord[], log: Log): void => {
  const lost = waiting.splice(0, Math.max(0, waiting.length - MAX_KEPT));
  if (lost.length > 0) log.error('records lost', { lost: lost.length });
};

/** Stores one tenant's records, with their totals and events in the same transaction where there is no stream. */
const createStore = ({ table, folds, log }: RecorderOptions): ((batch: RecordBatch) => Promise<void>) => {
  const markHour = createHourMarks(table);
  return async ({ tenant, entries }) => {
    for (const { record } of entries) {
      const marking = markHour(tenant, timeOf(record));
      // Nearly every hour is marked already, and awaiting nothing would still cost a turn.
      if (marking !== undefined) await marking;
    }
    if (table.streams) await storeRows(table, tenant, entries);
    else reportUnreadable(log, tenant, await storeFolded(table, folds, tenant, entries));
  };
};

/** Earlier releases had no row while a call was only reserved. */
const canEnd = ({ isReserved: mustBe }: WaitingRecord, row: Item | undefined): boolean =>
  mustBe ? row === undefined || isReserved(row) : isOpen(row);

/** The stream folds each row once, when it ends. */
const storeRows = async (table: Table, tenant: string, entries: readonly WaitingRecord[]): Promise<void> => {
  await table.write(entries.filter(({ once }) => !once).map(({ record }) => writeRow(tenant, record)));
  for (const entry of entries) {
    const { record, once } = entry;
    const stored =
      once &&
      (await table.change<StoredOnce>([rowKey(tenant, record)], ([row]) =>
        canEnd(entry, row)
          ? { writes: [writeRow(tenant, record)], result: { isStored: true, counted: countedBy(row) } }
          : { writes: [], result: { isStored: false } },
      ));
    if (stored) once?.(stored);
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
