import { statsKey } from '../kernel/item-keys.ts';
import type { CallRecord } from '../model/call.ts';
import type { NewEvent } from '../registry/events.ts';
import { type Block, blockAfter } from './block.ts';
import type { Fold } from './fold.ts';
import { addValues, type Histogram } from './histogram.ts';
import { addRecent, type Recent } from './recent.ts';

/** What the calls of one version add up to. */
export interface StatsTotal {
  readonly v: 1;
  readonly tool: string;
  readonly version: string;
  readonly calls: number;
  readonly successes: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly cached: number;
  /** Whole microseconds of the calls that ran, so that the sum is exact whatever the order. */
  readonly total_us: number;
  readonly histogram: Histogram;
  readonly recent: Recent;
  readonly failed_in_a_row: number;
  readonly last_at: string;
  readonly block?: Block;
}

const MAX_FAILURE_TYPES = 20;

/** The caller's own doing: it tells nothing about the tool. */
const callersFault: ReadonlySet<string> = new Set(['InvalidInput', 'NotFound', 'Forbidden', 'TooLarge', 'Cancelled']);
export const isToolsFault = ({ status, error }: CallRecord): boolean =>
  status === 'failed' && !callersFault.has(error?.type ?? '');

export const emptyStats = (tool: string, version: string): StatsTotal => ({
  v: 1,
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

/** The statistics with more calls, in their order, and what to tell of them. */
export const addCalls = (
  stats: StatsTotal,
  records: readonly CallRecord[],
): { readonly stats: StatsTotal; readonly events: readonly NewEvent[] } => {
  const events: NewEvent[] = [];
  let current = stats;
  for (const record of records) {
    const next = countCall(current, record);
    events.push(...eventsOf(current, next, record));
    current = next;
  }
  // In one go: a histogram is too large to copy for every call.
  const durations = records.filter(isMeasured).map(microseconds);
  return { stats: { ...current, histogram: addValues(stats.histogram, durations) }, events };
};

const isMeasured = ({ status, cached }: CallRecord): boolean => status !== 'refused' && !cached;

const microseconds = ({ duration_ms: ms }: CallRecord): number => Math.round(ms * 1000);

const countCall = (stats: StatsTotal, record: CallRecord): StatsTotal => {
  const lastAt = record.at > stats.last_at ? record.at : stats.last_at;
  if (record.status === 'refused') return { ...stats, refused: stats.refused + 1, last_at: lastAt };
  const isOk = record.status === 'ok';
  const isFault = isToolsFault(record);
  const counted: StatsTotal = {
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
  if (!isOk && !isFault) return counted;
  const { block: _, ...unblocked } = counted;
  const block = blockAfter(counted, isOk, Date.parse(record.at));
  return block ? { ...unblocked, block } : unblocked;
};

const countFailure = (failures: StatsTotal['failures'], type: string): StatsTotal['failures'] => {
  const isKnown = Object.hasOwn(failures, type) || Object.keys(failures).length < MAX_FAILURE_TYPES;
  const name = isKnown ? type : 'other';
  return { ...failures, [name]: (failures[name] ?? 0) + 1 };
};

/** Folds calls into the statistics of their version, and tells of failures and of what follows from them. */
export const statsFold: Fold = {
  keyOf: (tenant, { tool, version }) => statsKey(tenant, tool, version),
  add: (total, records) => {
    const { tool = '', version = '' } = records[0] ?? {};
    const { stats, events } = addCalls(statsOf(total, tool, version), records);
    return { total: { ...stats }, events };
  },
};

// Written by the fold alone.
const statsOf = (total: unknown, tool: string, version: string): StatsTotal =>
  (total as StatsTotal | undefined) ?? emptyStats(tool, version);

const eventsOf = (before: StatsTotal, after: StatsTotal, record: CallRecord): readonly NewEvent[] => {
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
