import { valueAtQuantile } from './histogram.ts';
import type { StatsTotal } from './stats.ts';

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
