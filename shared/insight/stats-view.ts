import { mergeHistograms, valueAtQuantile } from './histogram.ts';
import { recentAt } from './recent.ts';
import type { StatsTotal } from './stats.ts';

/** Merges the statistics of several versions. */
export const mergeStats = (a: StatsTotal, b: StatsTotal): StatsTotal => {
  const now = Math.max(a.recent.at, b.recent.at);
  const [left, right] = [recentAt(a.recent, now), recentAt(b.recent, now)];
  return {
    ...a,
    calls: a.calls + b.calls,
    successes: a.successes + b.successes,
    failures: mergeHistograms(a.failures, b.failures),
    refused: a.refused + b.refused,
    cached: a.cached + b.cached,
    total_us: a.total_us + b.total_us,
    histogram: mergeHistograms(a.histogram, b.histogram),
    recent: { ok: left.ok + right.ok, failed: left.failed + right.failed, at: now },
    last_at: a.last_at > b.last_at ? a.last_at : b.last_at,
  };
};

/** Statistics as callers see them. */
export interface StatsView {
  readonly tool: string;
  readonly version: string;
  readonly calls: number;
  readonly successes: number;
  readonly failures: number;
  readonly failures_by_type: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly cached: number;
  /** Null while there is no data. */
  readonly success_rate: number | null;
  readonly total_ms: number;
  readonly mean_ms: number | null;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly last_at?: string;
}

export const viewStats = (stats: StatsTotal): StatsView => {
  const { tool, version, calls, successes, failures, refused, cached, total_us: totalUs, histogram } = stats;
  const ran = calls - cached;
  const quantile = (share: number): number | null => {
    const us = valueAtQuantile(histogram, share);
    return us === undefined ? null : round(us / 1000);
  };
  return {
    tool,
    version,
    calls,
    successes,
    failures: calls - successes,
    failures_by_type: failures,
    refused,
    cached,
    success_rate: calls === 0 ? null : successes / calls,
    total_ms: totalUs / 1000,
    mean_ms: ran === 0 ? null : round(totalUs / 1000 / ran),
    p50_ms: quantile(0.5),
    p95_ms: quantile(0.95),
    p99_ms: quantile(0.99),
    last_at: calls + refused === 0 ? undefined : stats.last_at,
  };
};

const round = (value: number): number => Math.round(value * 1000) / 1000;
