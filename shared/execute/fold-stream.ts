import * as z from 'zod';
import { type Fold, foldingOf, reportUnreadable } from '../insight/fold.ts';
import type { Fault } from '../kernel/errors.ts';
import { checkpointKey, eventCountKey, foldedKey, tenantOfCallPk } from '../kernel/item-keys.ts';
import type { Clock, Item, Key, Log, Table, Write } from '../kernel/ports.ts';
import { isNewer, isUnreadable, put, read, stored } from '../kernel/stored.ts';
import { CALL_STATUSES } from '../model/call.ts';
import { CallItem, type CallRecord } from '../model/call-record.ts';
import { placeIfReadable } from '../registry/events.ts';

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
  readonly log?: Pick<Log, 'error'>;
}

interface Entry {
  readonly change: StreamChange;
  readonly tenant: string;
  readonly record: CallRecord;
}

/** How far a shard of the stream has been folded. */
export const CheckpointItem = stored({ what: 'checkpoint', schema: z.object({ sequence: z.string() }) });
/** That one record of a stream without shards has been folded. */
export const FoldedItem = stored({ what: 'note of a folded record', schema: z.object({ folded: z.literal(true) }) });

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
  try {
    return [{ change, tenant, record: read(change.after, CallItem) }];
  } catch (thrown) {
    // A newer release's call is folded once this function is updated too; one that was altered never can be.
    if (!isUnreadable(thrown) || isNewer(thrown)) throw thrown;
    return [];
  }
};

const isEnded = (item: Item | undefined): boolean =>
  item !== undefined && !item.isDamaged && CALL_STATUSES.some((status) => status === item.body.status);

const foldChunk = async (
  { table, clock, folds, log }: FoldContext,
  chunk: readonly Entry[],
  shard: string | undefined,
): Promise<void> => {
  const tenants = [...new Set(chunk.map(({ tenant }) => tenant))];
  const notes = shard === undefined ? chunk.map(({ change }) => foldedKey(change.eventId)) : [checkpointKey(shard)];
  const counts = tenants.map(eventCountKey);
  const totals = tenants.flatMap((tenant) => foldingOf(folds, tenant, recordsOf(chunk, tenant)).keys);
  const expires = Math.floor(clock.now() / 1000) + CHECKPOINT_SECONDS;
  const unreadable = await table.change<readonly Fault[]>([...notes, ...counts, ...totals], (items) => {
    const noted = items.slice(0, notes.length);
    const fresh = shard === undefined ? unseen(chunk, noted) : beyond(chunk, noted[0]);
    if (fresh.length === 0) return { writes: [], result: [] };
    const stored = items.slice(notes.length + counts.length);
    const left: Fault[] = [];
    const folded = tenants.flatMap((tenant, at): readonly Write[] => {
      const { writes, events, unreadable } = foldingOf(folds, tenant, recordsOf(fresh, tenant)).fold(stored);
      const placed = placeIfReadable(tenant, items[notes.length + at], events);
      left.push(...unreadable, ...placed.unreadable);
      return [...writes, ...placed.writes];
    });
    return { writes: [...folded, ...note(fresh, shard, expires)], result: left };
  });
  if (log) reportUnreadable(log, tenants.join(', '), unreadable);
};

const recordsOf = (entries: readonly Entry[], tenant: string): readonly CallRecord[] =>
  entries.filter((entry) => entry.tenant === tenant).map(({ record }) => record);

const unseen = (chunk: readonly Entry[], noted: readonly (Item | undefined)[]): readonly Entry[] =>
  chunk.filter((_, at) => noted[at] === undefined);

const beyond = (chunk: readonly Entry[], checkpoint: Item | undefined): readonly Entry[] =>
  chunk.filter(({ change }) => padded(change) > (checkpoint ? read(checkpoint, CheckpointItem).sequence : ''));

const note = (folded: readonly Entry[], shard: string | undefined, expires: number): readonly Write[] => {
  if (shard === undefined)
    return folded.map(({ change }) => put(foldedKey(change.eventId), FoldedItem, { folded: true }, expires));
  const sequence = folded.map(({ change }) => padded(change)).at(-1) ?? '';
  return [put(checkpointKey(shard), CheckpointItem, { sequence }, expires)];
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
