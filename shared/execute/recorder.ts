import type { Fold } from '../insight/fold.ts';
import { createEndOfTurn } from '../kernel/end-of-turn.ts';
import { Fault, messageOf } from '../kernel/errors.ts';
import type { Log, Table, Timers } from '../kernel/ports.ts';
import type { CallRecord } from '../model/call-record.ts';
import { type StoredOnce, takeBatch, type WaitingRecord } from './batch.ts';
import { alreadyEnded } from './earlier-call.ts';
import { createRecordStore } from './store-records.ts';

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
  /** Marks a call as in flight, or refuses it once the recorder closes; the returned function marks it as ended. */
  begin(): () => void;
  /** Has `cancel` called when closing waits no longer for the call; the returned function forgets it. */
  onClosing(cancel: () => void): () => void;
  /** Waits briefly for calls in flight, cancels those that still run, stores everything, and closes. */
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
/** What a cancelled call may take to store its end. */
const CANCELLED_MS = 1000;
const MAX_TURNS = 8;

export const createRecorder = (options: RecorderOptions): Recorder => {
  const { table, log, timers, delayMs = 20, observe } = options;
  const waiting: WaitingRecord[] = [];
  const store = createRecordStore(options);
  let running: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;
  let calls = 0;
  let isClosing = false;
  let isClosed = false;
  const cancels = new Set<() => void>();
  let onQuiet = (): void => {};

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting, table.streams ? [] : options.folds);
      try {
        await store(batch);
      } catch (thrown) {
        waiting.unshift(...batch.entries.filter(({ outcome }) => !outcome));
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

  const untilStored = async (entry: WaitingRecord): Promise<void> => {
    try {
      await flushSoon();
    } catch (thrown) {
      // Others' records may have failed after this one was stored.
      if (!entry.outcome) throw thrown;
    }
    if (entry.outcome?.refusal) throw entry.outcome.refusal;
  };

  const queue = (entry: WaitingRecord, isUrgent: boolean): Promise<void> | undefined => {
    const { tenant, record } = entry;
    observe?.(tenant, record);
    if (isClosed) {
      log.error('record lost: its call ended after all was stored', { tenant, call_id: record.call_id });
      // Without its end stored, the call is interrupted: whoever finds it settles it.
      if (entry.once) throw stopping();
      return undefined;
    }
    waiting.push(entry);
    if (isUrgent || delayMs === 0 || waiting.length >= MAX_WAITING) return untilStored(entry);
    flushAfter(delayMs);
    return undefined;
  };

  return {
    flush,
    begin() {
      // What begins now could end after everything is stored.
      if (isClosing) throw stopping();
      calls++;
      return () => {
        if (--calls === 0) onQuiet();
      };
    },
    onClosing(cancel) {
      cancels.add(cancel);
      return () => void cancels.delete(cancel);
    },
    async close() {
      isClosing = true;
      const untilQuiet = (most: number) => quiet(timers, most, (heard) => (onQuiet = heard));
      if (calls > 0) await untilQuiet(MAX_PATIENCE_MS);
      for (const cancel of cancels) cancel();
      if (calls > 0) await untilQuiet(CANCELLED_MS);
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

const stopping = (): Fault =>
  new Fault('Unavailable', 'this server is stopping; try again', { retry_after_seconds: 1 });

const quiet = (timers: Pick<Timers, 'after'>, most: number, listen: (heard: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const stopTimer = timers.after(most, resolve);
    listen(() => {
      stopTimer();
      resolve();
    });
  });

const forgetOldest = (waiting: WaitingRecord[], log: Log): void => {
  const lost = waiting.splice(0, Math.max(0, waiting.length - MAX_KEPT));
  if (lost.length > 0) log.error('records lost', { lost: lost.length });
};
