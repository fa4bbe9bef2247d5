import { type Fold, foldingOf } from '../insight/fold.ts';
import { checkpointKey, eventCountKey, foldedKey, tenantOfCallPk } from '../kernel/item-keys.ts';
import type { Clock, Item, Key, Table, Write } from '../kernel/ports.ts';
import type { CallRecord } from '../model/call.ts';
import { placeEvents } from '../registry/events.ts';

/** One change of an item, as the table's stream tells it. */
export interface StreamChange {
  readonly eventId: string;
  /** Digits that grow along a shard. */
  readonly sequence: string;
  readonly key: Key;
  readonly before?: Item;
  readonly after?: Item;
  /** Removed because its time was up, not by anyone. */
  readonly isExpiry: boolean;
}

export interface FoldContext {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly folds: readonly Fold[];
}

interface Entry {
  readonly change: StreamChange;
  readonly tenant: string;
  readonly record: CallRecord;
}

const CHECKPOINT_SECONDS = 8 * 86_400;

/**
 * Folds the calls among a shard's changes into their totals, each exactly once however often the stream repeats them:
 * what was folded is noted in the transaction that folds it, by shard where the stream names it, else by event.
 */
export const foldStream = async (
  context: FoldContext,
  changes: readonly StreamChange[],
  shard: string | undefined,
): Promise<void> => {
  const entries = changes.flatMap(entryOf);
  if (shard !== undefined) entries.sort((a, b) => (padded(a.change) < padded(b.change) ? -1 : 1));
  for (const chunk of chunksOf(entries, context.folds, shard)) await foldChunk(context, chunk, shard);
};

/** A call that has ended just now; one that was only reserved, or has ended before, does not count. */
const entryOf = (change: StreamChange): readonly Entry[] => {
  const tenant = tenantOfCallPk(change.key.pk);
  if (tenant === undefined || !change.after || isEnded(change.before) || !isEnded(change.after)) return [];
  return [{ change, tenant, record: change.after.body as unknown as CallRecord }];
};

const isEnded = (item: Item | undefined): boolean =>
  ['ok', 'failed', 'refused'].includes(String(item?.body.status ?? ''));

const foldChunk = async (
  { table, clock, folds }: FoldContext,
  chunk: readonly Entry[],
  shard: string | undefined,
): Promise<void> => {
  const tenants = [...new Set(chunk.map(({ tenant }) => tenant))];
  const notes = shard === undefined ? chunk.map(({ change }) => foldedKey(change.eventId)) : [checkpointKey(shard)];
  const counts = tenants.map(eventCountKey);
  const totals = tenants.flatMap((tenant) => foldingOf(folds, tenant, recordsOf(chunk, tenant)).keys);
  const expires = Math.floor(clock.now() / 1000) + CHECKPOINT_SECONDS;
  await table.change([...notes, ...counts, ...totals], (items) => {
    const noted = items.slice(0, notes.length);
    const fresh = shard === undefined ? unseen(chunk, noted) : beyond(chunk, noted[0]);
    if (fresh.length === 0) return { writes: [], result: undefined };
    const stored = items.slice(notes.length + counts.length);
    const folded = tenants.flatMap((tenant, at): readonly Write[] => {
      const { writes, events } = foldingOf(folds, tenant, recordsOf(fresh, tenant)).fold(stored);
      return [...writes, ...placeEvents(tenant, items[notes.length + at], events)];
    });
    return { writes: [...folded, ...note(fresh, shard, expires)], result: undefined };
  });
};

const recordsOf = (entries: readonly Entry[], tenant: string): readonly CallRecord[] =>
  entries.filter((entry) => entry.tenant === tenant).map(({ record }) => record);

const unseen = (chunk: readonly Entry[], noted: readonly (Item | undefined)[]): readonly Entry[] =>
  chunk.filter((_, at) => noted[at] === undefined);

const beyond = (chunk: readonly Entry[], checkpoint: Item | undefined): readonly Entry[] =>
  chunk.filter(({ change }) => padded(change) > String(checkpoint?.body.sequence ?? ''));

const note = (folded: readonly Entry[], shard: string | undefined, expires: number): readonly Write[] => {
  if (shard === undefined)
    return folded.map(({ change }) => ({ put: foldedKey(change.eventId), body: { v: 1, folded: true }, expires }));
  const sequence = folded.map(({ change }) => padded(change)).at(-1) ?? '';
  return [{ put: checkpointKey(shard), body: { v: 1, sequence }, expires }];
};

// Sequence numbers have up to 40 digits; as texts of one length they compare as numbers.
const padded = ({ sequence }: StreamChange): string => sequence.padStart(40, '0');

/** A transaction holds 100 items, of which some are kept free for events of totals. */
const MOST_ITEMS = 90;

/** Runs of entries that fit into one transaction with their notes, totals and events. */
function* chunksOf(entries: readonly Entry[], folds: readonly Fold[], shard: string | undefined): Generator<Entry[]> {
  let chunk: Entry[] = [];
  let items = new Set<string>();
  let events = 0;
  for (const entry of entries) {
    const needed = itemsOf(entry, folds, shard);
    const brought = entry.record.status === 'failed' ? 2 : 0;
    const size = new Set([...items, ...needed]).size + events + brought;
    if (size > MOST_ITEMS && chunk.length > 0) {
      yield chunk;
      [chunk, items, events] = [[], new Set(), 0];
    }
    chunk.push(entry);
    for (const item of needed) items.add(item);
    events += brought;
  }
  if (chunk.length > 0) yield chunk;
}

const itemsOf = ({ change, tenant, record }: Entry, folds: readonly Fold[], shard: string | undefined) =>
  [
    shard === undefined ? foldedKey(change.eventId) : checkpointKey(shard),
    eventCountKey(tenant),
    ...foldingOf(folds, tenant, [record]).keys,
  ].map(({ pk, sk }) => `${pk}\n${sk}`);
