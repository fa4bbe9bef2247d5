import type { Item, Key, Write } from '../kernel/ports.ts';
import type { CallRecord } from '../model/call.ts';
import type { NewEvent } from '../registry/events.ts';

type Body = Item['body'];

/**
 * A total that calls add up to. Where the table has no stream it is folded in the transaction that stores the calls,
 * otherwise from the stream; either way each call is added exactly once.
 */
export interface Fold {
  /** The total a call belongs to; none when it does not count. */
  keyOf(tenant: string, record: CallRecord): Key | undefined;
  /** The total with more calls, at least one, and what the world should hear of it. Pure: it may run again. */
  add(total: Body | undefined, records: readonly CallRecord[]): Added;
}

export interface Added {
  readonly total: Body;
  readonly events?: readonly NewEvent[];
}

export interface Folded {
  readonly writes: readonly Write[];
  readonly events: readonly NewEvent[];
}

export interface Folding {
  /** The keys of all totals that the calls touch, each once. */
  readonly keys: readonly Key[];
  /** Adds the calls to what is stored of their totals. Pure: it may run again. */
  fold(stored: readonly (Item | undefined)[]): Folded;
}

/** What a tenant's calls add to. */
export const foldingOf = (folds: readonly Fold[], tenant: string, records: readonly CallRecord[]): Folding => {
  const shares = sharesOf(folds, tenant, records);
  return {
    keys: shares.map(({ key }) => key),
    fold(stored) {
      const totals = new Map(stored.flatMap((item) => (item ? [[nameOf(item.key), item.body]] : [])));
      const added = shares.map(({ fold, key, records: share }) => ({
        key,
        ...fold.add(totals.get(nameOf(key)), share),
      }));
      return {
        writes: added.map(({ key, total }) => ({ put: key, body: total })),
        events: added.flatMap(({ events = [] }) => events),
      };
    },
  };
};

interface Share {
  readonly fold: Fold;
  readonly key: Key;
  readonly records: CallRecord[];
}

/** Which calls go into which total. */
const sharesOf = (folds: readonly Fold[], tenant: string, records: readonly CallRecord[]): readonly Share[] => {
  const shares = new Map<string, Share>();
  for (const fold of folds)
    for (const record of records) {
      const key = fold.keyOf(tenant, record);
      if (!key) continue;
      const share = shares.get(nameOf(key));
      if (share) share.records.push(record);
      else shares.set(nameOf(key), { fold, key, records: [record] });
    }
  return [...shares.values()];
};

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
