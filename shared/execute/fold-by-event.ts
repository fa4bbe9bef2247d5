import * as z from 'zod';
import { createFolding, type Fold, reportUnreadable } from '../insight/fold.ts';
import type { Fault } from '../kernel/errors.ts';
import { eventCountKey, foldedKey } from '../kernel/item-keys.ts';
import type { Write } from '../kernel/ports.ts';
import { put, stored } from '../kernel/stored.ts';
import type { CallRecord } from '../model/call-record.ts';
import { appendIfReadable } from '../registry/events.ts';
import type { FoldContext, StreamedCall } from './fold-stream.ts';

/** Marks one record of a stream without shards as folded. */
export const FoldedItem = stored({ what: 'note of a folded record', schema: z.object({ folded: z.literal(true) }) });

const CHECKPOINT_SECONDS = 8 * 86_400;

/**
 * Folds calls of a stream that does not name its shards: each call is marked as folded in the same transaction, so that
 * a redelivered one is skipped. This costs several write units per call; an event source mapping with a tumbling window
 * names the shard and avoids it.
 */
export const foldByEvent = async (context: FoldContext, calls: readonly StreamedCall[]): Promise<void> => {
  for (const chunk of chunksOf(calls, context.folds)) await foldChunk(context, chunk);
};

const foldChunk = async ({ table, clock, folds, log }: FoldContext, chunk: readonly StreamedCall[]): Promise<void> => {
  const tenants = [...new Set(chunk.map(({ tenant }) => tenant))];
  const notes = chunk.map(({ eventId }) => foldedKey(eventId));
  const counts = tenants.map(eventCountKey);
  const totals = tenants.flatMap((tenant) => createFolding(folds, tenant, recordsOf(chunk, tenant)).keys);
  const expires = Math.floor(clock.now() / 1000) + CHECKPOINT_SECONDS;
  const unreadable = await table.change<readonly Fault[]>([...notes, ...counts, ...totals], (items) => {
    const noted = items.slice(0, notes.length);
    const fresh = chunk.filter((_, at) => noted[at] === undefined);
    if (fresh.length === 0) return { writes: [], result: [] };
    const stored = items.slice(notes.length + counts.length);
    const left: Fault[] = [];
    const folded = tenants.flatMap((tenant, at): readonly Write[] => {
      const { writes, events, unreadable } = createFolding(folds, tenant, recordsOf(fresh, tenant)).fold(stored);
      const placed = appendIfReadable(tenant, items[notes.length + at], events);
      left.push(...unreadable, ...placed.unreadable);
      return [...writes, ...placed.writes];
    });
    return { writes: [...folded, ...note(fresh, expires)], result: left };
  });
  if (log) reportUnreadable(log, tenants.join(', '), unreadable);
};

const recordsOf = (calls: readonly StreamedCall[], tenant: string): readonly CallRecord[] =>
  calls.filter((call) => call.tenant === tenant).map(({ record }) => record);

const note = (folded: readonly StreamedCall[], expires: number): readonly Write[] =>
  folded.map(({ eventId }) => put(foldedKey(eventId), FoldedItem, { folded: true }, expires));

/** A transaction holds 100 items; some are left for events. */
const MAX_ITEMS = 90;

/** Groups of calls that fit into one transaction with their markers, totals and events. */
function* chunksOf(calls: readonly StreamedCall[], folds: readonly Fold[]): Generator<StreamedCall[]> {
  let chunk: StreamedCall[] = [];
  let items = new Set<string>();
  let events = 0;
  for (const call of calls) {
    const needed = itemsOf(call, folds);
    const brought = call.record.status === 'failed' ? 2 : 0;
    const size = new Set([...items, ...needed]).size + events + brought;
    if (size > MAX_ITEMS && chunk.length > 0) {
      yield chunk;
      [chunk, items, events] = [[], new Set(), 0];
    }
    chunk.push(call);
    for (const item of needed) items.add(item);
    events += brought;
  }
  if (chunk.length > 0) yield chunk;
}

const itemsOf = ({ eventId, tenant, record }: StreamedCall, folds: readonly Fold[]) =>
  [foldedKey(eventId), eventCountKey(tenant), ...createFolding(folds, tenant, [record]).keys].map(
    ({ pk, sk }) => `${pk}\n${sk}`,
  );
