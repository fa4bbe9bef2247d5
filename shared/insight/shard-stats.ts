import * as z from 'zod';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { CallRecord } from '../model/call-record.ts';
import { addValues, Histogram } from './histogram.ts';
import { mergeStats } from './merge-stats.ts';
import { Recent } from './recent.ts';
import { emptyStats, isMeasured, isToolsFault, microseconds, type StatsTotal, withCall } from './stats.ts';

/** One stream shard's counts of a version. Zeros are left out, since many versions share an item. */
export const ShardStats = z.object({
  calls: z.number().optional(),
  successes: z.number().optional(),
  failures: z.record(z.string(), z.number()).optional(),
  refused: z.number().optional(),
  cached: z.number().optional(),
  total_us: z.number().optional(),
  histogram: Histogram.optional(),
  recent: Recent.optional(),
  failed_in_a_row: z.number().optional(),
  last_at: z.iso.datetime(),
  /** The latest success and the latest tool failures, by which shards are merged. */
  ok_at: z.string().optional(),
  faults_at: z.array(z.string()).readonly().optional(),
});
export type ShardStats = Readonly<z.infer<typeof ShardStats>>;

/** As many failures are kept as are needed to block a tool. */
const KEPT_FAULTS = 5;

/** A shard's statistics with more calls, in their order. */
export const addToShard = (stats: ShardStats | undefined, records: readonly CallRecord[]): ShardStats => {
  let total: StatsTotal = { ...emptyStats('', ''), ...stats };
  let ok_at = stats?.ok_at;
  let faults_at: readonly string[] = stats?.faults_at ?? [];
  for (const record of records) {
    total = withCall(total, record);
    if (record.status === 'ok') [ok_at, faults_at] = [latest(ok_at, record.at), []];
    else if (isToolsFault(record)) faults_at = [...faults_at, record.at].slice(-KEPT_FAULTS);
  }
  const durations = records.filter(isMeasured).map(microseconds);
  const histogram = addValues(total.histogram, durations);
  const faults = faults_at.length > 0 ? faults_at : undefined;
  return omitUndefined({ ...withoutZeros({ ...total, histogram }), ok_at, faults_at: faults });
};

/** The sum of the shards and the compacted total; nothing when there is nothing. */
export const sumStats = (
  tool: string,
  version: string,
  base: StatsTotal | undefined,
  shards: readonly ShardStats[],
): StatsTotal | undefined => {
  if (shards.length === 0) return base;
  const all = [...(base ? [base] : []), ...shards].map((each) => ({ ...emptyStats(tool, version), ...each }));
  const sum = all.reduce(mergeStats);
  const { ok_at: _, faults_at: __, ...plain } = sum as StatsTotal & ShardStats;
  return { ...plain, failed_in_a_row: failedInARow(base, shards) };
};

/** Failures since the last success seen by any shard. */
const failedInARow = (base: StatsTotal | undefined, shards: readonly ShardStats[]): number => {
  const lastOk = shards.reduce<string | undefined>((last, { ok_at }) => latestOf(last, ok_at), undefined);
  const counts = shards.map(({ failed_in_a_row = 0, faults_at = [] }) => {
    const later = faults_at.filter((at) => lastOk === undefined || at > lastOk).length;
    return later === faults_at.length ? failed_in_a_row : later;
  });
  return counts.reduce((sum, count) => sum + count, lastOk === undefined ? (base?.failed_in_a_row ?? 0) : 0);
};

const latest = (a: string | undefined, b: string): string => (a !== undefined && a > b ? a : b);
const latestOf = (a: string | undefined, b: string | undefined): string | undefined =>
  b === undefined ? a : latest(a, b);

const withoutZeros = (total: StatsTotal): ShardStats => {
  const { tool: _, version: __, block: ___, ...counted } = total;
  const kept = Object.entries(counted).filter(
    ([, value]) => value !== 0 && (typeof value !== 'object' || Object.values(value).some((each) => each !== 0)),
  );
  return { last_at: total.last_at, ...Object.fromEntries(kept) };
};
