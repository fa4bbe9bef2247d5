import type { Fold } from '../insight/fold.ts';
import type { CallRecord } from '../model/call-record.ts';

export interface Waiting {
  readonly tenant: string;
  readonly record: CallRecord;
}

/** Records of one tenant that fit into one change. */
export interface Batch {
  readonly tenant: string;
  readonly records: readonly CallRecord[];
}

/** A change holds 100 items; one is the count of events, two are marks of hours at the turn of one. */
const MOST_ITEMS = 97;
/** A record and the events it may bring: a failure with a block, a success with the end of one. */
const ITEMS_OF = { failed: 3, ok: 2, refused: 1 } as const;

/** Takes as many records of the tenant that waits longest as fit into one change with their totals. */
export const takeBatch = (waiting: Waiting[], folds: readonly Fold[]): Batch => {
  const tenant = waiting[0]?.tenant ?? '';
  const totals = new Set<string>();
  const records: CallRecord[] = [];
  const others: Waiting[] = [];
  let items = 0;
  for (const entry of waiting) {
    if (entry.tenant !== tenant || items >= MOST_ITEMS) {
      others.push(entry);
      continue;
    }
    const keys = keysOf(folds, entry).filter((key) => !totals.has(key));
    items += ITEMS_OF[entry.record.status] + keys.length;
    if (items > MOST_ITEMS) {
      others.push(entry);
      continue;
    }
    for (const key of keys) totals.add(key);
    records.push(entry.record);
  }
  waiting.splice(0, waiting.length, ...others);
  return { tenant, records };
};

const keysOf = (folds: readonly Fold[], { tenant, record }: Waiting): readonly string[] =>
  folds.flatMap((fold) => {
    const key = fold.keyOf(tenant, record);
    return key ? [`${key.pk}\n${key.sk}`] : [];
  });
