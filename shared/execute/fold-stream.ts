import * as z from 'zod';
import type { BlockedTools } from '../insight/blocked-tools.ts';
import type { Fold } from '../insight/fold.ts';
import { poisonKey, tenantOfCallPk } from '../kernel/item-keys.ts';
import type { Clock, Item, Key, Log, Table } from '../kernel/ports.ts';
import { isNewer, isUnreadable, put, read, stored } from '../kernel/stored.ts';
import { CALL_STATUSES } from '../model/call.ts';
import { CallItem, type CallRecord } from '../model/call-record.ts';
import { foldByEvent } from './fold-by-event.ts';
import { foldShard } from './fold-shard.ts';

/** One change of an item, as reported by the table's stream. */
export interface StreamChange {
  readonly eventId: string;
  /** Sequence number, increasing within a shard. */
  readonly sequence: string;
  readonly key: Key;
  readonly before?: Item;
  readonly after?: Item;
  /** Whether it was removed because it had expired. */
  readonly isExpiry: boolean;
}

export interface FoldContext {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly folds: readonly Fold[];
  /** Caches which tools are blocked, across batches. */
  readonly blocked?: BlockedTools;
  /** Logs unreadable records. */
  readonly log?: Pick<Log, 'error'>;
}

/** A call that has just ended. */
export interface StreamedCall {
  readonly eventId: string;
  /** Padded to forty digits, so that text order is numeric order. */
  readonly sequence: string;
  readonly tenant: string;
  readonly record: CallRecord;
}

/** An unreadable stream record, stored for operators. */
export const PoisonItem = stored({
  what: 'record set aside',
  schema: z.object({ pk: z.string(), sk: z.string(), error: z.string() }),
});

/**
 * Folds the calls among a shard's changes into their totals, each exactly once however often the stream redelivers
 * them.
 */
export const foldStream = async (
  context: FoldContext,
  changes: readonly StreamChange[],
  shard: string | undefined,
): Promise<void> => {
  const poison: Poison[] = [];
  const calls = changes.flatMap((change) => readCall(change, poison));
  await setAside(context, poison);
  calls.sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  if (shard === undefined) await foldByEvent(context, calls);
  else await foldShard(context, calls, shard);
};

interface Poison {
  readonly eventId: string;
  readonly key: Key;
  readonly error: string;
}

/** Rows that are only reserved, and calls that had already ended, are skipped. */
const readCall = (
  { eventId, sequence, key, before, after }: StreamChange,
  poison: Poison[],
): readonly StreamedCall[] => {
  const tenant = tenantOfCallPk(key.pk);
  if (tenant === undefined || !after || isCounted(before, after) || !(after.isDamaged || isEnded(after))) return [];
  try {
    return [{ eventId, sequence: sequence.padStart(40, '0'), tenant, record: read(after, CallItem) }];
  } catch (thrown) {
    // A newer release's call is folded once this function has been updated; a corrupt one never can be.
    if (!isUnreadable(thrown) || isNewer(thrown)) throw thrown;
    poison.push({ eventId, key, error: thrown.message });
    return [];
  }
};

/**
 * Whether the call was counted before. A call that was refused or failed may be tried again under its id, and is
 * counted again when it succeeds.
 */
const isCounted = (before: Item | undefined, after: Item): boolean =>
  isEnded(before) && !(before?.body.status !== 'ok' && !after.isDamaged && after.body.status === 'ok');

const isEnded = (item: Item | undefined): boolean =>
  item !== undefined && !item.isDamaged && CALL_STATUSES.some((status) => status === item.body.status);

const RETENTION_SECONDS = 30 * 86_400;

/**
 * Unreadable records are stored and logged, so that the others are processed. An alarm matches the message of the log
 * lines.
 */
const setAside = async ({ table, clock, log }: FoldContext, poison: readonly Poison[]): Promise<void> => {
  if (poison.length === 0) return;
  const expires = Math.floor(clock.now() / 1000) + RETENTION_SECONDS;
  await table.write(
    poison.map(({ eventId, key, error }) => put(poisonKey(eventId), PoisonItem, { ...key, error }, expires)),
  );
  for (const { eventId, error } of poison) log?.error('stream record set aside', { event: eventId, error });
};
