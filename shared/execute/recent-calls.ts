import { LRUCache } from 'lru-cache';
import { timeOfUlid } from '../kernel/ids.ts';
import { lazily } from '../kernel/lazily.ts';
import type { CallRecord } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';
import { type ExecutionsContext, latestExecutions } from './executions.ts';

/** The fields of a call that summaries need; arguments and output may be large. */
export interface SummedCall {
  /** The time in its id, by which calls are sorted. */
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
  /** False when there are more calls than are read. */
  readonly complete: boolean;
}

export interface RecentCalls {
  /** The calls of the actor's tenant since a time; `span` names the cached period, which moves with the clock. */
  since(context: ExecutionsContext, actor: Actor, span: string, since: number): Promise<SummedCalls>;
  /** Called when a call of this process ends. */
  ended(tenant: string, record: CallRecord): void;
}

interface Held extends SummedCalls {
  readonly lookedAt: number;
  readonly wholeAt: number;
  /** The id time of the oldest call that ended since the last read. */
  oldest: number;
}

const MAX_CALLS = 20_000;
/** For all tenants together; a call takes about 150 bytes. */
const MAX_HELD = 100_000;
/** Calls read per page: of the whole period, and of new calls. */
const PAGES = { all: 50, fresh: 20 } as const;
/**
 * Calls of other processes may end late: each read goes back this far again, and everything is read again from time to
 * time.
 */
const OVERLAP_MS = 60_000;
const WHOLE_MS = 600_000;

/**
 * Caches the calls of a period for summaries that are requested repeatedly, because reading an hour of calls takes
 * long.
 */
export const createRecentCalls = (): RecentCalls => {
  const kept = lazily(
    () => new LRUCache<string, Map<string, Held>>({ maxSize: MAX_HELD, maxEntrySize: MAX_HELD, sizeCalculation }),
  );
  const findHeld = (tenant: string, span: string, now: number): Held | undefined => {
    const held = kept().get(tenant)?.get(span);
    return held && now - held.wholeAt < WHOLE_MS ? held : undefined;
  };
  const keep = (tenant: string, span: string, next: Held | undefined): void => {
    const spans = new Map(kept().get(tenant));
    if (next === undefined) spans.delete(span);
    // Of two concurrent reads, the later one is more complete.
    else if ((spans.get(span)?.lookedAt ?? 0) <= next.lookedAt) spans.set(span, next);
    kept().set(tenant, spans);
  };
  return {
    async since(context, actor, span, since) {
      const { tenant } = actor;
      const now = context.clock.now();
      const held = findHeld(tenant, span, now);
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

/** Joins newly read calls with cached older ones, unless there may be a gap between them. */
const merge = (read: SummedCalls, held: Held | undefined, from: number, since: number): SummedCalls => {
  if (!held || !read.complete) return read;
  const older = held.calls.filter(({ made }) => made < from && made >= since);
  const complete = held.complete && read.calls.length + older.length <= MAX_CALLS;
  return { calls: [...read.calls, ...older].slice(0, MAX_CALLS), complete };
};

const readSince = async (
  context: ExecutionsContext,
  actor: Actor,
  since: number,
  limit: number,
): Promise<SummedCalls> => {
  const calls: SummedCall[] = [];
  const names = new Map<string, string>();
  // Shares equal names, because each record has its own copy of them.
  const named = (name: string): string => {
    const known = names.get(name);
    if (known === undefined) names.set(name, name);
    return known ?? name;
  };
  for await (const record of latestExecutions(context, actor, { since, limit })) {
    if (calls.length === MAX_CALLS) return { calls, complete: false };
    const { at, tool, key, status, duration_ms: ms, charged_micros: micros } = record;
    calls.push({ made: madeAt(record), at: Date.parse(at), tool: named(tool), key: named(key), status, ms, micros });
  }
  return { calls, complete: true };
};

const madeAt = ({ call_id: id, at }: CallRecord): number => timeOfUlid(id) ?? Date.parse(at);
