import { mergeHistograms } from './histogram.ts';
import { type Recent, recentAt } from './recent.ts';
import type { StatsTotal } from './stats.ts';

/** The statistics of two versions, or of two shards, as one. */
export const mergeStats = (a: StatsTotal, b: StatsTotal): StatsTotal => ({
  ...a,
  calls: a.calls + b.calls,
  successes: a.successes + b.successes,
  failures: mergeHistograms(a.failures, b.failures),
  refused: a.refused + b.refused,
  cached: a.cached + b.cached,
  total_us: a.total_us + b.total_us,
  histogram: mergeHistograms(a.histogram, b.histogram),
  recent: mergeRecent(a.recent, b.recent),
  last_at: a.last_at > b.last_at ? a.last_at : b.last_at,
});

const mergeRecent = (a: Recent, b: Recent): Recent => {
  const at = Math.max(a.at, b.at);
  const [first, second] = [recentAt(a, at), recentAt(b, at)];
  return { ok: first.ok + second.ok, failed: first.failed + second.failed, at };
};
