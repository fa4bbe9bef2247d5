import { type Fold, foldingOf, reportUnreadable } from '../insight/fold.ts';
import { createEndOfTurn } from '../kernel/end-of-turn.ts';
import { type Fault, messageOf } from '../kernel/errors.ts';
import { timeOfUlid } from '../kernel/ids.ts';
import { callHour, callHourKey, callKey, eventCountKey } from '../kernel/item-keys.ts';
import type { Log, Table, Write } from '../kernel/ports.ts';
import { put } from '../kernel/stored.ts';
import { CallHourItem, CallItem, type CallRecord } from '../model/call-record.ts';
import { placeIfReadable } from '../registry/events.ts';
import { type RecordBatch, takeBatch, type WaitingRecord } from './batch.ts';

/** Stores call records in batches. */
export interface Recorder {
  /** Queues a record; the promise, where there is one, resolves when it is stored. */
  keep(tenant: string, record: CallRecord, isUrgent: boolean): Promise<void> | undefined;
  /** Stores everything queued. */
  flush(): Promise<void>;
  /** Marks a call as in flight; the result marks it as ended. */
  begin(): () => void;
  /** Waits briefly for calls in flight, stores everything, and closes. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly table: Table;
  readonly log: Log;
  readonly folds: readonly Fold[];
  /** How long a record may wait for a batch; 0 stores each before its call is answered, as Lambda requires. */
  readonly delayMs?: number;
  /** Sees every record, for metrics. */
  readonly observe?: (tenant: string, record: CallRecord) => void;
}

/** The ledger's retention of forty days; executions are listed for thirty of them. */
const KEPT_SECONDS = 40 * 86_400;
const MOST_WAITING = 2000;
const MOST_KEPT = 20_000;
const RETRY_MS = 500;
const MOST_PATIENCE_MS = 2000;
const MOST_TURNS = 8;

export const createRecorder = (options: RecorderOptions): Recorder => {
  const { table, log, delayMs = 20, observe } = options;
  const waiting: WaitingRecord[] = [];
  const store = createStore(options);
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let calls = 0;
  let isClosed = false;
  let onQuiet = (): void => {};

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting, table.streams ? [] : options.folds);
      try {
        await store(batch);
      } catch (thrown) {
        waiting.unshift(...batch.records.map((record) => ({ tenant: batch.tenant, record })));
        log.error('records not stored; trying again', { waiting: waiting.length, error: messageOf(thrown) });
        forgetOldest(waiting, log);
        flushAfter(RETRY_MS);
        throw thrown;
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    running ??= drain().finally(() => {
      running = undefined;
    });
    return running;
  };
  const endOfTurn = createEndOfTurn();
  let soon: Promise<void> | undefined;
  // Calls that end at about the same time share one transaction: while each turn brings more, it waits for the next.
  const gather = async (): Promise<void> => {
    let seen = 0;
    for (let turn = 0; turn < MOST_TURNS && waiting.length > seen; turn++) {
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
    // A failure is logged where it happens, and retried.
    timer ??= setTimeout(() => void flush().catch(() => {}), milliseconds);
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
      if (calls > 0) await quiet((heard) => (onQuiet = heard));
      isClosed = true;
      await flush();
    },
    keep(tenant, record, isUrgent) {
      observe?.(tenant, record);
      if (isClosed) {
        log.error('record lost: its call ended after all was stored', { tenant, call_id: record.call_id });
        return undefined;
      }
      waiting.push({ tenant, record });
      if (isUrgent || delayMs === 0 || waiting.length >= MOST_WAITING) return flushSoon();
      flushAfter(delayMs);
      return undefined;
    },
  };
};

const quiet = (listen: (heard: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, MOST_PATIENCE_MS);
    listen(() => {
      clearTimeout(timer);
      resolve();
    });
  });

const forgetOldest = (waiting: WaitingRecord[], log: Log): void => {
  const lost = waiting.splice(0, Math.max(0, waiting.length - MOST_KEPT));
  if (lost.length > 0) log.error('records lost', { lost: lost.length });
};

/** Stores one tenant's records, with their totals and events in the same transaction where there is no stream. */
const createStore = ({ table, folds, log }: RecorderOptions): ((batch: RecordBatch) => Promise<void>) => {
  const marked = new Set<string>();
  return async ({ tenant, records }) => {
    const hours = [...new Set(records.map((record) => callHour(timeOf(record))))];
    const unmarked = hours.filter((hour) => !marked.has(`${tenant} ${hour}`));
    await markHours(table, tenant, unmarked);
    const items = records.map((record) => writeRecord(tenant, record));
    if (table.streams) await table.write(items);
    else reportUnreadable(log, tenant, await storeFolded(table, folds, tenant, records, items));
    if (marked.size > MOST_KEPT) marked.clear();
    for (const hour of unmarked) marked.add(`${tenant} ${hour}`);
  };
};

const storeFolded = (
  table: Table,
  folds: readonly Fold[],
  tenant: string,
  records: readonly CallRecord[],
  items: readonly Write[],
): Promise<readonly Fault[]> => {
  const { keys, fold } = foldingOf(folds, tenant, records);
  return table.change([eventCountKey(tenant), ...keys], ([count, ...stored]) => {
    const { writes, events, unreadable } = fold(stored);
    const placed = placeIfReadable(tenant, count, events);
    return {
      writes: [...items, ...writes, ...placed.writes],
      result: [...unreadable, ...placed.unreadable],
    };
  });
};

const expiresAt = (milliseconds: number): number => Math.floor(milliseconds / 1000) + KEPT_SECONDS;

// The key is derived from the id, so the hour must be too.
const timeOf = ({ call_id: id, at }: CallRecord): number => timeOfUlid(id) ?? Date.parse(at);

const writeRecord = (tenant: string, record: CallRecord): Write =>
  put(callKey(tenant, record.call_id), CallItem, record, expiresAt(Date.parse(record.at)));

/** Marks hours that have calls, before their calls are stored: the ledger is read by them. What is there stays. */
const markHours = async (table: Table, tenant: string, hours: readonly string[]): Promise<void> => {
  for (const hour of hours) {
    const key = callHourKey(tenant, hour);
    const expires = expiresAt(Date.parse(`${hour}:00:00Z`)) + 3600;
    await table.change([key], ([known]) => ({
      writes: known ? [] : [put(key, CallHourItem, { hour }, expires)],
      result: undefined,
    }));
  }
};
