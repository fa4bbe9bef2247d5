import * as z from 'zod';
import { edgeBeatKey } from '../kernel/item-keys.ts';
import type { Clock, Item, Key, Table } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';

/** How young a beat makes another one unnecessary. */
const BEAT_MS = 10_000;

/** A time that travels through the table's stream: once it is published, everything before it is. */
export const BeatItem = stored({ what: 'beat of the edge', schema: z.object({ at: z.int() }) });

/** Stores the time unless it was stored a moment ago. The edge asks for it when what it holds is getting old. */
export const storeBeat = async ({ table, clock }: { table: Table; clock: Pick<Clock, 'now'> }): Promise<void> => {
  const last = await table.get(edgeBeatKey);
  const at = clock.now();
  if (last && at - readBeat(last) < BEAT_MS) return;
  await table.write([put(edgeBeatKey, BeatItem, { at })]);
};

/** Changes of the beat follow all earlier changes of their shard through the stream. */
export const isEdgeBeat = ({ pk, sk }: Key): boolean => pk === edgeBeatKey.pk && sk === edgeBeatKey.sk;

export const readBeat = (item: Item): number => read(item, BeatItem).at;
