import * as z from 'zod';
import { edgeBeatKey } from '../kernel/item-keys.ts';
import type { Clock, Item, Key, Table } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';

/** No new beat is stored while the last one is younger. */
const BEAT_MS = 10_000;

/** A heartbeat through the table's stream: once it is published, so is everything written before it. */
export const BeatItem = stored({ what: 'beat of the edge', schema: z.object({ at: z.int() }) });

/** Stores a beat unless a recent one exists. The edge requests one when its data gets old. */
export const storeBeat = async ({ table, clock }: { table: Table; clock: Pick<Clock, 'now'> }): Promise<void> => {
  const last = await table.get(edgeBeatKey);
  const at = clock.now();
  if (last && at - readBeat(last) < BEAT_MS) return;
  await table.write([put(edgeBeatKey, BeatItem, { at })]);
};

/** Changes of the beat come after all earlier changes of their shard in the stream. */
export const isEdgeBeat = ({ pk, sk }: Key): boolean => pk === edgeBeatKey.pk && sk === edgeBeatKey.sk;

export const readBeat = (item: Item): number => read(item, BeatItem).at;
