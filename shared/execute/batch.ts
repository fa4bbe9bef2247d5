import type { Fold } from '../insight/fold.ts';
import type { CallRecord } from '../model/call-record.ts';

export interface WaitingRecord {
  readonly tenant: string;
  readonly record: CallRecord;
  /** For a call whose row decides who settles it: what became of the record. */
  readonly once?: (stored: StoredOnce) => void;
  /** Stored only where the row is still reserved: a failure that is there has been settled. */
  readonly isReserved?: boolean;
}

/** Whether the row was still open, and the recount that had counted it. */
export interface StoredOnce {
  readonly isStored: boolean;
  readonly counted?: number | undefined;
}

/** Records of one tenant that fit into one transaction. */
export interface RecordBatch {
  readonly tenant: string;
  readonly entries: readonly WaitingRecord[];
}

/** A transaction holds 100 items; one is the event sequence, two are hour markers when the hour changes. */
const MOST_ITEMS = 97;
/** A record and its possible events: a failure, a block, and that the block ends with a later call. */
const ITEMS_OF = { failed: 4, ok: 1, refused: 1, interrupted: 1 } as const;
/** A version may have been blocked before: of all its calls in the batch only the first success ends that. */
const UNBLOCKED = 1;

/** Takes as many records of the longest-waiting tenant as fit into one transaction with their totals. */
export const takeBatch = (waiting: WaitingRecord[], folds: readonly Fold[]): RecordBatch => {
  const tenant = waiting[0]?.tenant ?? '';
  const totals = new Set<string>();
  const entries: WaitingRecord[] = [];
  const others: WaitingRecord[] = [];
  // A call that was refused and then let through has two records under one id: a change writes an item once.
  const ids = new Set<string>();
  const versions = new Set<string>();
  let items = 0;
  for (const entry of waiting) {
    if (entry.tenant !== tenant || items >= MOST_ITEMS || ids.has(entry.record.call_id)) {
      others.push(entry);
      continue;
    }
    const keys = foldedKeys(folds, entry).filter((key) => !totals.has(key));
    const version = `${entry.record.tool}@${entry.record.version}`;
    items += ITEMS_OF[entry.record.status] + keys.length + (versions.has(version) ? 0 : UNBLOCKED);
    if (items > MOST_ITEMS) {
      others.push(entry);
      continue;
    }
    for (const key of keys) totals.add(key);
    ids.add(entry.record.call_id);
    versions.add(version);
    entries.push(entry);
  }
  waiting.splice(0, waiting.length, ...others);
  return { tenant, entries };
};

const foldedKeys = (folds: readonly Fold[], { tenant, record }: WaitingRecord): readonly string[] =>
  folds.flatMap((fold) => {
    const key = fold.keyOf(tenant, record);
    return key ? [`${key.pk}\n${key.sk}`] : [];
  });
