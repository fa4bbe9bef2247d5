import type { CallRecord } from '../model/call-record.ts';
import type { NewEvent } from '../registry/events.ts';
import { type Block, blockAfter } from './block.ts';
import { deriveEvents, emptyStats, isToolsFault, type StatsTotal } from './stats.ts';

/**
 * Decides whether a version is blocked or unblocked after calls of one shard, by the sum of all shards, which already
 * includes those calls. A run of failures counts within these calls; at their end, the run over all shards counts.
 */
export const decideBlock = (
  sum: StatsTotal | undefined,
  block: Block | undefined,
  records: readonly CallRecord[],
): { readonly block: Block | undefined; readonly events: readonly NewEvent[] } => {
  const events: NewEvent[] = [];
  let now = block;
  let inARow = 0;
  records.forEach((record, at) => {
    const isOk = record.status === 'ok';
    const before = withFailures(sum, record, now, inARow);
    if (isOk || isToolsFault(record)) {
      inARow = isOk ? 0 : inARow + 1;
      const isLast = at === records.length - 1;
      const counted = Math.max(inARow, isLast && !isOk ? (sum?.failed_in_a_row ?? 0) : 0);
      now = blockAfter(withFailures(sum, record, now, counted), isOk, Date.parse(record.at));
    }
    events.push(...deriveEvents(before, withFailures(sum, record, now, inARow), record));
  });
  return { block: now, events };
};

const withFailures = (
  sum: StatsTotal | undefined,
  { tool, version }: CallRecord,
  block: Block | undefined,
  failed_in_a_row: number,
): StatsTotal => {
  const { block: _, ...counted } = sum ?? emptyStats(tool, version);
  return { ...counted, failed_in_a_row, block };
};
