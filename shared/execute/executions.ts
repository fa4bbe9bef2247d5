import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import type { FairTurns } from '../kernel/fair-turns.ts';
import { timeOfUlid, ulidTime } from '../kernel/ids.ts';
import { callHour, callHourKey, callHoursPk, callKey, callShards } from '../kernel/item-keys.ts';
import type { Clock, Table } from '../kernel/ports.ts';
import { readAll } from '../kernel/stored.ts';
import type { CallStatus } from '../model/call.ts';
import { CallItem, type CallRecord, endedCall, isReserved } from '../model/call-record.ts';
import type { Actor } from '../model/key.ts';

export interface ExecutionsQuery {
  readonly tool?: string | undefined;
  readonly status?: CallStatus | undefined;
  readonly key?: string | undefined;
  /** Inclusive and exclusive bounds, in milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
  /** Exclusive: the call id to continue after, towards older ones. */
  readonly after?: string | undefined;
}

export interface Executions {
  readonly executions: readonly CallRecord[];
  /** The call id to continue after; absent on the last page. */
  readonly next?: string;
}

const SHOWN_MS = 30 * 86_400_000;
/** The most records that are read for one page; then the page ends early, with a cursor. */
const MAX_LOOKED_AT = 5000;

export interface ExecutionsContext {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  /** Lets other requests run while thousands of records are read. */
  readonly turns: Pick<FairTurns, 'own'>;
}

/** Records of calls, newest first. */
export const listExecutions = async (
  context: ExecutionsContext,
  actor: Actor,
  query: ExecutionsQuery,
): Promise<Executions> => {
  const found: CallRecord[] = [];
  let looked = 0;
  const visible = visibleTools(actor);
  for await (const record of latestExecutions(context, actor, query)) {
    if (found.length === query.limit) return { executions: found, next: found.at(-1)?.call_id ?? '' };
    if (visible.has(record.tool) && matches(record, query)) found.push(record);
    if (++looked >= MAX_LOOKED_AT) return { executions: found, next: record.call_id };
  }
  return { executions: found };
};

/** All records since a time, newest first; `limit` is the number read at a time. */
export const latestExecutions = (
  { table, clock, turns }: ExecutionsContext,
  actor: Actor,
  query: Pick<ExecutionsQuery, 'since' | 'until' | 'after' | 'limit'>,
): AsyncGenerator<CallRecord> => {
  requireScope(actor, 'read');
  const since = Math.max(query.since ?? 0, clock.now() - SHOWN_MS);
  return newestFirst(table, actor.tenant, since, query, () => turns.own(actor.tenant));
};

/** The record of one call. */
export const readExecution = async (
  { table }: { readonly table: Table },
  actor: Actor,
  id: string,
): Promise<CallRecord> => {
  requireScope(actor, 'read');
  const item = timeOfUlid(id) === undefined ? undefined : await table.get(callKey(actor.tenant, id));
  const record = endedCall(item);
  if (record && visibleTools(actor).has(record.tool)) return record;
  throw new Fault('NotFound', `no call with the id ${JSON.stringify(id)}; records are kept for 30 days`, { id });
};

async function* newestFirst(
  table: Table,
  tenant: string,
  since: number,
  { until, after, limit }: Pick<ExecutionsQuery, 'until' | 'after' | 'limit'>,
  giveWay: () => Promise<void>,
): AsyncGenerator<CallRecord> {
  // Ids sort by time, so the ULID prefix of a time bounds all ids made before it.
  const bounds = [after, until === undefined ? undefined : ulidTime(until)].filter((bound) => bound !== undefined);
  const before = bounds.sort()[0];
  const latest = before === undefined ? undefined : timeOfUlid(before.padEnd(26, '0'));
  const first = ulidTime(since);
  for await (const hour of hoursBefore(table, tenant, latest)) {
    if (hour < callHour(since)) return;
    for await (const record of callsOfHour(table, tenant, hour, { before, limit, giveWay })) {
      if (record.call_id < first) return;
      yield record;
    }
  }
}

async function* hoursBefore(table: Table, tenant: string, latest: number | undefined): AsyncGenerator<string> {
  // Exclusive, so it starts from the next hour.
  let after = latest === undefined ? undefined : callHourKey(tenant, callHour(latest + 3_600_000)).sk;
  do {
    const page = await table.query(callHoursPk(tenant), {
      reverse: true,
      limit: 100,
      after,
    });
    for (const { key } of page.items) yield key.sk;
    after = page.next;
  } while (after !== undefined);
}

interface ReadCalls {
  readonly before: string | undefined;
  readonly limit: number;
  readonly giveWay: () => Promise<void>;
}

/** The calls of an hour, merged from its shards. */
async function* callsOfHour(
  table: Table,
  tenant: string,
  hour: string,
  { before, limit, giveWay }: ReadCalls,
): AsyncGenerator<CallRecord> {
  let after = before;
  const size = Math.min(Math.max(limit, 20), 200);
  for (;;) {
    const range = { reverse: true, limit: size, after };
    const pages = await Promise.all(callShards(tenant, hour).map((pk) => table.query(pk, range)));
    // A shard may have more calls between the end of its page and those of others, so only calls above every page's end
    // are returned.
    const ends = pages.flatMap(({ next }) => (next === undefined ? [] : [next])).sort();
    const safe = ends.at(-1);
    const items = pages.flatMap((page) => page.items).filter(({ key }) => safe === undefined || key.sk >= safe);
    const ended = items.filter((item) => !isReserved(item));
    yield* readAll(ended, CallItem).toSorted((a, b) => (a.call_id < b.call_id ? 1 : -1));
    if (safe === undefined) return;
    after = safe;
    // A local store answers synchronously and a page takes milliseconds, so it yields here.
    await giveWay();
  }
}

const matches = (record: CallRecord, { tool, status, key }: ExecutionsQuery): boolean =>
  (tool === undefined || record.tool === tool) &&
  (status === undefined || record.status === status) &&
  (key === undefined || record.key === key);
