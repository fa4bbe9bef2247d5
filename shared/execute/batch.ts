import type { Fold } from '../insight/fold.ts';
import type { Fault } from '../kernel/errors.ts';
import type { CallRecord } from '../model/call-record.ts';

export interface WaitingRecord {
  readonly tenant: string;
  readonly record: CallRecord;
  /** Set for a record that must end its call's row only once; receives whether it did. */
  readonly once?: (stored: StoredOnce) => void;
  /** Stored only while the row is still reserved; a failure that is already stored has been settled. */
  readonly isReserved?: boolean;
  /** Set when it is stored, or when the table has refused it, so that no retry helps. */
  outcome?: { readonly refusal?: Fault };
}

/** Whether the row was still open, and which recount had counted it. */
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
const MAX_ITEMS = 97;
/** A record with its possible events: a failure, a block, and the end of the block by a later call. */
const ITEMS_OF = { failed: 4, ok: 1, refused: 1, interrupted: 1 } as const;
/** If a version was blocked before, only its first success in the batch unblocks it. */
const UNBLOCKED = 1;

/** Takes as many records of the longest-waiting tenant as fit into one transaction with their totals. */
export const takeBatch = (waiting: WaitingRecord[], folds: readonly Fold[]): RecordBatch => {
  const tenant = waiting[0]?.tenant ?? '';
  const totals = new Set<string>();
  const entries: WaitingRecord[] = [];
  const others: WaitingRecord[] = [];
  // A call that was refused and then allowed has two records with one id, but a transaction writes an item only once.
  const ids = new Set<string>();
  const versions = new Set<string>();
  let items = 0;
  for (const entry of waiting) {
    if (entry.tenant !== tenant || items >= MAX_ITEMS || ids.has(entry.record.call_id)) {
      others.push(entry);
      continue;
    }
    const keys = foldedKeys(folds, entry).filter((key) => !totals.has(key));
    const version = `${entry.record.tool}@${entry.record.version}`;
    items += ITEMS_OF[entry.record.status] + keys.length + (versions.has(version) ? 0 : UNBLOCKED);
    if (items > MAX_ITEMS) {
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
