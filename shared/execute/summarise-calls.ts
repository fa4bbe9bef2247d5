import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import type { Actor } from '../model/key.ts';
import type { ExecutionsContext } from './executions.ts';
import { quantileOf } from './quantile.ts';
import type { RecentCalls, SummedCall } from './recent-calls.ts';

const HOUR = 3_600_000;

/** The period of a summary, and its step. */
export const SUMMARY_SPANS = {
  hour: { ms: HOUR, step: 60_000 },
  day: { ms: 24 * HOUR, step: 30 * 60_000 },
  month: { ms: 30 * 24 * HOUR, step: 24 * HOUR },
} as const;
export type SummarySpan = keyof typeof SUMMARY_SPANS;

export interface CallTotals {
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly micros: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface CallSummary extends CallTotals {
  readonly since: string;
  readonly until: string;
  /** False when there are more calls than are read: only the latest are summed. */
  readonly complete: boolean;
  readonly steps: readonly (CallTotals & { readonly at: string })[];
  readonly tools: readonly (CallTotals & { readonly name: string })[];
  readonly keys: readonly (CallTotals & { readonly name: string })[];
}

export interface SummaryContext extends ExecutionsContext {
  readonly recentCalls: Pick<RecentCalls, 'since'>;
}

/** Calls, errors, times and spend over the last hour, day or month: in steps, by tool and by key. */
export const summariseCalls = async (
  context: SummaryContext,
  actor: Actor,
  span: SummarySpan,
): Promise<CallSummary> => {
  requireScope(actor, 'read');
  const { ms, step } = SUMMARY_SPANS[span];
  const until = context.clock.now();
  const first = Math.floor((until - ms) / step) * step + step;
  const { calls, complete } = await context.recentCalls.since(context, actor, span, first);
  const visible = visibleTools(actor);
  const records = calls.filter(({ tool }) => visible.has(tool));
  const byStep = Map.groupBy(records, ({ at }) => Math.floor(at / step) * step);
  const count = Math.floor((until - first) / step) + 1;
  return {
    since: iso(first),
    until: iso(until),
    complete,
    ...totalsOf(records),
    steps: Array.from({ length: count }, (_, index) => first + index * step).map((at) => ({
      at: iso(at),
      ...totalsOf(byStep.get(at) ?? []),
    })),
    tools: ranked(Map.groupBy(records, ({ tool }) => tool)),
    keys: ranked(Map.groupBy(records, ({ key }) => key)),
  };
};

const MAX_SHOWN = 20;

const ranked = (groups: ReadonlyMap<string, readonly SummedCall[]>) =>
  [...groups]
    .map(([name, records]) => ({ name, ...totalsOf(records) }))
    .toSorted((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SHOWN);

/** Durations are of calls that ran, not of refused ones. */
const totalsOf = (records: readonly SummedCall[]): CallTotals => {
  const times = new Float64Array(records.length);
  let [ran, failed, micros] = [0, 0, 0];
  for (const record of records) {
    micros += record.micros;
    if (record.status === 'refused') continue;
    if (record.status !== 'ok') failed++;
    times[ran++] = record.ms;
  }
  const durations = times.subarray(0, ran);
  return {
    calls: records.length,
    failed,
    refused: records.length - ran,
    micros,
    p50_ms: quantileOf(durations, 0.5),
    p95_ms: quantileOf(durations, 0.95),
  };
};

const iso = (time: number): string => new Date(time).toISOString();
