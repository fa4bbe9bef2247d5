import { LRUCache } from 'lru-cache';
import { timeOfUlid } from '../kernel/ids.ts';
import { lazily } from '../kernel/lazily.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import { type ExecutionsContext, latestExecutions } from './executions.ts';

/** What is summed of a call; its arguments and output are as large as they like. */
export interface SummedCall {
  /** When its id was made, which is its place among the others. */
  readonly made: number;
  readonly at: number;
  readonly tool: string;
  readonly key: string;
  readonly status: CallRecord['status'];
  readonly ms: number;
  readonly micros: number;
}

export interface SummedCalls {
  /** Newest first. */
  readonly calls: readonly SummedCall[];
  /** False where there are more than are looked at. */
  readonly complete: boolean;
}

export interface RecentCalls {
  /** The calls of the actor's tenant since a time; `span` names how far back, which moves on with the clock. */
  since(context: ExecutionsContext, actor: Actor, span: string, since: number): Promise<SummedCalls>;
  /** Hears of a call of this process that ends. */
  ended(tenant: string, record: CallRecord): void;
}

interface Held extends SummedCalls {
  readonly lookedAt: number;
  readonly wholeAt: number;
  /** The oldest of the calls that ended since. */
  oldest: number;
}

const MOST_CALLS = 20_000;
/** Of all tenants; one takes about 150 bytes. */
const MOST_HELD = 100_000;
/** How many are read at a time: of all, and of those that are new. */
const PAGES = { all: 50, fresh: 20 } as const;
/** Calls of other processes are looked for again this far back, and all of them every so often: some end late. */
const OVERLAP_MS = 60_000;
const WHOLE_MS = 600_000;

/** Reads each call once where summaries are asked for again and again: reading an hour of them takes long. */
export const createRecentCalls = (): RecentCalls => {
  const kept = lazily(
    () => new LRUCache<string, Map<string, Held>>({ maxSize: MOST_HELD, maxEntrySize: MOST_HELD, sizeCalculation }),
  );
  const heldOf = (tenant: string, span: string, now: number): Held | undefined => {
    const held = kept().get(tenant)?.get(span);
    return held && now - held.wholeAt < WHOLE_MS ? held : undefined;
  };
  const keep = (tenant: string, span: string, next: Held | undefined): void => {
    const spans = new Map(kept().get(tenant));
    if (next === undefined) spans.delete(span);
    // Of two that looked at the same time the later one knows more.
    else if ((spans.get(span)?.lookedAt ?? 0) <= next.lookedAt) spans.set(span, next);
    kept().set(tenant, spans);
  };
  return {
    async since(context, actor, span, since) {
      const { tenant } = actor;
      const now = context.clock.now();
      const held = heldOf(tenant, span, now);
      const from = held ? Math.max(since, Math.min(held.lookedAt - OVERLAP_MS, held.oldest)) : since;
      if (held) held.oldest = Number.POSITIVE_INFINITY;
      try {
        const merged = merge(await readSince(context, actor, from, held ? PAGES.fresh : PAGES.all), held, from, since);
        const oldest = held?.oldest ?? Number.POSITIVE_INFINITY;
        keep(tenant, span, { ...merged, lookedAt: now, wholeAt: held?.wholeAt ?? now, oldest });
        return merged;
      } catch (thrown) {
        keep(tenant, span, undefined);
        throw thrown;
      }
    },
    ended(tenant, record) {
      for (const held of kept().peek(tenant)?.values() ?? []) held.oldest = Math.min(held.oldest, madeAt(record));
    },
  };
};

const sizeCalculation = (spans: ReadonlyMap<string, Held>): number =>
  [...spans.values()].reduce((sum, { calls }) => sum + calls.length, 1);

/** What was read from a time on, and what was held of before it; a gap between them ends it. */
const merge = (read: SummedCalls, held: Held | undefined, from: number, since: number): SummedCalls => {
  if (!held || !read.complete) return read;
  const older = held.calls.filter(({ made }) => made < from && made >= since);
  const complete = held.complete && read.calls.length + older.length <= MOST_CALLS;
  return { calls: [...read.calls, ...older].slice(0, MOST_CALLS), complete };
};

const readSince = async (
  context: ExecutionsContext,
  actor: Actor,
  since: number,
  limit: number,
): Promise<SummedCalls> => {
  const calls: SummedCall[] = [];
  const names = new Map<string, string>();
  // Each record has its own copy of a name, and thousands have the same one.
  const named = (name: string): string => {
    const known = names.get(name);
    if (known === undefined) names.set(name, name);
    return known ?? name;
  };
  for await (const record of latestExecutions(context, actor, { since, limit })) {
    if (calls.length === MOST_CALLS) return { calls, complete: false };
    const { at, tool, key, status, duration_ms: ms, charged_micros: micros } = record;
    calls.push({ made: madeAt(record), at: Date.parse(at), tool: named(tool), key: named(key), status, ms, micros });
  }
  return { calls, complete: true };
};

const madeAt = ({ call_id: id, at }: CallRecord): number => timeOfUlid(id) ?? Date.parse(at);
