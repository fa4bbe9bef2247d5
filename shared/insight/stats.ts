import * as z from 'zod';
import { statsKey } from '../kernel/item-keys.ts';
import { stored } from '../kernel/stored.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { NewEvent } from '../registry/events.ts';
import { Block, blockAfter } from './block.ts';
import { foldInto } from './fold.ts';
import { addValues, Histogram } from './histogram.ts';
import { addRecent, Recent } from './recent.ts';

/** The statistics of one version. */
const StatsTotal = z.object({
  tool: z.string(),
  version: z.string(),
  calls: z.number(),
  successes: z.number(),
  failures: z.record(z.string(), z.number()),
  refused: z.number(),
  cached: z.number(),
  /** Whole microseconds of the calls that ran, so that the sum is exact in any order. */
  total_us: z.number(),
  histogram: Histogram,
  recent: Recent,
  failed_in_a_row: z.number(),
  last_at: z.iso.datetime(),
  block: Block.optional(),
});
export type StatsTotal = Readonly<z.infer<typeof StatsTotal>>;

export const StatsItem = stored<StatsTotal>({ what: 'statistics', schema: StatsTotal });

const MAX_FAILURE_TYPES = 20;

/** Caller errors, which say nothing about the tool. */
const callersFault: ReadonlySet<string> = new Set(['InvalidInput', 'NotFound', 'Forbidden', 'TooLarge', 'Cancelled']);
export const isToolsFault = ({ status, error }: CallRecord): boolean =>
  status === 'failed' && !callersFault.has(error?.type ?? '');

export const emptyStats = (tool: string, version: string): StatsTotal => ({
  tool,
  version,
  calls: 0,
  successes: 0,
  failures: {},
  refused: 0,
  cached: 0,
  total_us: 0,
  histogram: {},
  recent: { ok: 0, failed: 0, at: 0 },
  failed_in_a_row: 0,
  last_at: new Date(0).toISOString(),
});

/** Adds calls in their order, and returns the events to publish. */
export const addCalls = (
  stats: StatsTotal,
  records: readonly CallRecord[],
): { readonly stats: StatsTotal; readonly events: readonly NewEvent[] } => {
  const events: NewEvent[] = [];
  let current = stats;
  for (const record of records) {
    const next = countCall(current, record);
    events.push(...deriveEvents(current, next, record));
    current = next;
  }
  // All at once: a histogram is too large to copy for every call.
  const durations = records.filter(isMeasured).map(microseconds);
  return { stats: { ...current, histogram: addValues(stats.histogram, durations) }, events };
};

export const isMeasured = ({ status, cached }: CallRecord): boolean =>
  (status === 'ok' || status === 'failed') && !cached;

export const microseconds = ({ duration_ms: ms }: CallRecord): number => Math.round(ms * 1000);

const countCall = (stats: StatsTotal, record: CallRecord): StatsTotal => {
  const counted = withCall(stats, record);
  const isOk = record.status === 'ok';
  if (record.status === 'refused' || (!isOk && !isToolsFault(record))) return counted;
  const { block: _, ...unblocked } = counted;
  const block = blockAfter(counted, isOk, Date.parse(record.at));
  return block ? { ...unblocked, block } : unblocked;
};

/** Adds one call, except its duration in the histogram and the blocking decision. */
export const withCall = (stats: StatsTotal, record: CallRecord): StatsTotal => {
  const lastAt = record.at > stats.last_at ? record.at : stats.last_at;
  if (record.status === 'refused') return { ...stats, refused: stats.refused + 1, last_at: lastAt };
  const isOk = record.status === 'ok';
  const isFault = isToolsFault(record);
  return {
    ...stats,
    calls: stats.calls + 1,
    successes: stats.successes + (isOk ? 1 : 0),
    failures: isOk ? stats.failures : countFailure(stats.failures, record.error?.type ?? 'Error'),
    cached: stats.cached + (record.cached ? 1 : 0),
    total_us: stats.total_us + (isMeasured(record) ? microseconds(record) : 0),
    recent: isOk || isFault ? addRecent(stats.recent, isOk, Date.parse(record.at)) : stats.recent,
    failed_in_a_row: isOk ? 0 : stats.failed_in_a_row + (isFault ? 1 : 0),
    last_at: lastAt,
  };
};

const countFailure = (failures: StatsTotal['failures'], type: string): StatsTotal['failures'] => {
  const isKnown = Object.hasOwn(failures, type) || Object.keys(failures).length < MAX_FAILURE_TYPES;
  const name = isKnown ? type : 'other';
  return { ...failures, [name]: (failures[name] ?? 0) + 1 };
};

/** Folds calls into the statistics of their version, and reports failures and blocking as events. */
export const statsFold = foldInto(StatsItem, {
  keyOf: (tenant, { tool, version }) => statsKey(tenant, tool, version),
  add: (total, records) => {
    const { tool = '', version = '' } = records[0] ?? {};
    const { stats, events } = addCalls(total ?? emptyStats(tool, version), records);
    return { total: stats, events };
  },
});

/** The events that a call causes. */
export const deriveEvents = (before: StatsTotal, after: StatsTotal, record: CallRecord): readonly NewEvent[] => {
  const { tool, version, at } = record;
  const events: NewEvent[] = [];
  if (record.status === 'failed') {
    const { type, message } = record.error ?? { type: 'Error', message: '' };
    events.push({ type: 'call-failed', at, tool, version, call_id: record.call_id, reason: `${type}: ${message}` });
  }
  if (after.block && after.block.times !== before.block?.times)
    events.push({ type: 'tool-blacklisted', at, tool, version, reason: after.block.reason });
  if (before.block && !after.block)
    events.push({ type: 'tool-reinstated', at, tool, version, reason: 'a trial call succeeded' });
  return events;
};
