import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { Item, Key, Table } from '../../kernel/ports.ts';
import { addCounters, checkCount } from '../counters.ts';
import {
  checkKey,
  checkKeys,
  checkQuery,
  isLive,
  nextRevisions,
  prepareChange,
  prepareWrites,
  sortKeyRange,
} from '../table-rules.ts';
import { isBusy, openDatabase, sqliteFault } from './open-database.ts';
import { prepareRows, type Rows } from './rows.ts';

export interface SqliteTableOptions {
  /** The data file; its directory is made when missing. */
  readonly path: string;
  readonly now?: () => number;
  /** How long a call waits for other processes before it is `Unavailable`. */
  readonly busyTimeoutMs?: number;
}

/** A table in one file, which several processes may use at the same time. */
export function sqliteTable({ path, now = Date.now, busyTimeoutMs = 5000 }: SqliteTableOptions): Table {
  const database = openDatabase(path, busyTimeoutMs);
  const rows = prepareRows(database);
  const sweepWhenDue = sweeper(rows, now);
  const patiently = <T>(work: () => T): Promise<T> => waitingForLock(work, path, busyTimeoutMs);
  const writing = async <T>(work: () => T): Promise<T> => {
    const result = await patiently(() => inTransaction(database, work));
    sweepWhenDue();
    return result;
  };
  const read = (key: Key): Item | undefined => {
    const item = rows.get(key);
    return item && isLive(item.expires, now()) ? item : undefined;
  };

  return {
    streams: false,
    async get(key) {
      checkKey(key);
      return patiently(() => read(key));
    },
    async query(pk, query = {}) {
      checkQuery(pk, query);
      const { limit = 2 ** 32, bytes, reverse = false } = query;
      const range = { ...sortKeyRange(query), limit: limit + 1, bytes, reverse };
      const { items, isCut } = await patiently(() => rows.list(pk, range, now()));
      const next = items.length > limit ? items[limit - 1] : isCut ? items.at(-1) : undefined;
      return next ? { items: items.slice(0, limit), next: next.key.sk } : { items };
    },
    async scan(prefix, after = { pk: '', sk: '' }) {
      const range = { from: prefix, to: sortKeyRange({ prefix }).to, after, limit: SCANNED };
      const items = await patiently(() => rows.scan(range, now()));
      const last = items.length === SCANNED ? items.at(-1) : undefined;
      return last ? { items, next: last.key } : { items };
    },
    async change(keys, rule) {
      checkKeys(keys);
      return writing(() => {
        const items = keys.map(read);
        const { writes, result } = rule(items);
        const revisionOf = nextRevisions(keys, items);
        for (const write of prepareChange(keys, writes)) rows.store(write, revisionOf(write.key));
        return result;
      });
    },
    async write(writes) {
      const prepared = prepareWrites(writes);
      await writing(() => {
        for (const write of prepared) rows.store(write, 1);
      });
    },
    async count(key, add, limits = {}, expires = undefined) {
      checkCount(key, add, limits, expires);
      return writing(() => {
        const before = read(key);
        const after = addCounters(key, before, add, limits);
        const text = JSON.stringify(after);
        if (after) rows.store({ key, text, expires: expires ?? before?.expires }, (before?.revision ?? 0) + 1);
        return after;
      });
    },
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

/** Sweeps expired items occasionally, a few at a time, so that no call waits long. */
function sweeper(rows: Rows, now: () => number): () => void {
  let due = now() + sweep.everyMs;
  return () => {
    if (now() < due) return;
    try {
      const removed = rows.sweep(now(), sweep.items);
      if (removed < sweep.items) due = now() + sweep.everyMs;
    } catch {
      // The caller's change is already stored; leftovers go with a later sweep.
      due = now() + sweep.everyMs;
    }
  };
}

const SCANNED = 200;

const sweep = { everyMs: 60_000, items: 500 } as const;

/** Retries while other processes hold the lock, without blocking this process. */
async function waitingForLock<T>(work: () => T, path: string, timeoutMs: number): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      return work();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() - started > timeoutMs) throw sqliteFault(thrown, path) ?? thrown;
      await setTimeout(Math.random() * 20);
    }
  }
}

/** A write transaction from its start: one that began with reading could fail to upgrade. */
function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}
