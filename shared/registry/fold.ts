import type { CallRecord } from '../model/call.ts';
import type { Item, Key, Write } from '../ports.ts';
import type { NewEvent } from './events.ts';

type Body = Item['body'];

/**
 * A total that calls add up to. Where the table has no stream it is folded in the transaction that stores the calls,
 * otherwise from the stream; either way each call is added exactly once.
 */
export interface Fold {
  /** The total a call belongs to; none when it does not count. */
  keyOf(tenant: string, record: CallRecord): Key | undefined;
  /** The total with one more call. Pure: it may run again. */
  add(total: Body | undefined, record: CallRecord): Body;
  /** What the world should hear about it. */
  eventsOf?(before: Body | undefined, after: Body, record: CallRecord): readonly NewEvent[];
}

export interface Folded {
  readonly writes: readonly Write[];
  readonly events: readonly NewEvent[];
}

/** The keys of all totals that a tenant's calls touch, each once. */
export const keysOfFolds = (folds: readonly Fold[], tenant: string, records: readonly CallRecord[]): readonly Key[] => {
  const keys = new Map<string, Key>();
  for (const record of records)
    for (const fold of folds) {
      const key = fold.keyOf(tenant, record);
      if (key) keys.set(nameOf(key), key);
    }
  return [...keys.values()];
};

/** Adds calls to what is stored of their totals. */
export const foldCalls = (
  folds: readonly Fold[],
  tenant: string,
  records: readonly CallRecord[],
  stored: readonly (Item | undefined)[],
): Folded => {
  const totals = new Map(stored.flatMap((item) => (item ? [[nameOf(item.key), item.body]] : [])));
  const changed = new Map<string, Key>();
  const events: NewEvent[] = [];
  for (const record of records)
    for (const fold of folds) {
      const key = fold.keyOf(tenant, record);
      if (!key) continue;
      const before = totals.get(nameOf(key));
      const after = fold.add(before, record);
      totals.set(nameOf(key), after);
      changed.set(nameOf(key), key);
      events.push(...(fold.eventsOf?.(before, after, record) ?? []));
    }
  const writes = [...changed].map(([name, key]): Write => ({ put: key, body: totals.get(name) ?? {} }));
  return { writes, events };
};

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
