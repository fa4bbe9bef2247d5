import * as z from 'zod';
import { type Block, BlockItem } from '../insight/block.ts';
import { createBlockedTools } from '../insight/blocked-tools.ts';
import { decideBlock } from '../insight/quarantine.ts';
import { readStats } from '../insight/read-stats.ts';
import { blockKey, eventCountKey, failureCheckpointKey } from '../kernel/item-keys.ts';
import type { Item, Key, Write } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';
import type { CallRecord } from '../model/call-record.ts';
import { appendEvents } from '../registry/events.ts';
import type { FoldContext, StreamedCall } from './fold-stream.ts';

/** The checkpoint of a shard: failures up to it have been reported. */
export const FailureCheckpointItem = stored({
  what: 'checkpoint of failures',
  schema: z.object({ sequence: z.string() }),
});

const CHECKPOINT_SECONDS = 8 * 86_400;
/** A transaction holds 100 items: a checkpoint, a counter, and for each call its block and two events. */
const MAX_CALLS = 32;

/**
 * Reports each failed call once, and decides by the sum of all shards whether a tool is blocked or unblocked. Tenants
 * without failures and blocked tools cost one query every ten seconds.
 */
export const reportFailures = async (
  context: FoldContext,
  tenant: string,
  shard: string,
  calls: readonly StreamedCall[],
): Promise<void> => {
  const readBlocked = context.blocked ?? createBlockedTools(context.table, context.clock);
  const blocked = await readBlocked(tenant);
  const told = calls.filter(({ record }) => record.status === 'failed' || blocked.has(idOf(record)));
  for (let at = 0; at < told.length; at += MAX_CALLS)
    await tell(context, tenant, shard, told.slice(at, at + MAX_CALLS));
};

const tell = async (
  { table, clock }: FoldContext,
  tenant: string,
  shard: string,
  calls: readonly StreamedCall[],
): Promise<void> => {
  const tools = [...Map.groupBy(calls, ({ record }) => idOf(record))];
  const sums = await Promise.all(
    tools.map(([, [first]]) => first && readStats(table, tenant, first.record.tool, first.record.version)),
  );
  const checkpoint = failureCheckpointKey(tenant, shard);
  const keys: readonly Key[] = tools.map(([id]) => {
    const [tool = '', version = ''] = id.split('#');
    return blockKey(tenant, tool, version);
  });
  const expires = Math.floor(clock.now() / 1000) + CHECKPOINT_SECONDS;
  await table.change([checkpoint, eventCountKey(tenant), ...keys], ([told, count, ...blocks]) => {
    const since = told ? read(told, FailureCheckpointItem).sequence : '';
    const fresh = calls.filter(({ sequence }) => sequence > since);
    if (fresh.length === 0) return { writes: [], result: undefined };
    const decided = tools.map(([id], at) =>
      decideBlock(sums[at], blockIn(blocks[at]) ?? sums[at]?.block, recordsOf(fresh, id)),
    );
    const changed = keys.flatMap((key, at): readonly Write[] => {
      const { block } = decided[at] ?? {};
      return sameBlock(block, blockIn(blocks[at])) ? [] : [put(key, BlockItem, { block })];
    });
    const events = decided.flatMap((each) => each.events);
    const sequence = fresh.at(-1)?.sequence ?? since;
    return {
      writes: [
        ...changed,
        ...appendEvents(tenant, count, events),
        put(checkpoint, FailureCheckpointItem, { sequence }, expires),
      ],
      result: undefined,
    };
  });
};

const idOf = ({ tool, version }: CallRecord): string => `${tool}#${version}`;

const recordsOf = (calls: readonly StreamedCall[], id: string): readonly CallRecord[] =>
  calls.filter(({ record }) => idOf(record) === id).map(({ record }) => record);

const blockIn = (item: Item | undefined): Block | undefined => item && read(item, BlockItem).block;

const sameBlock = (a: Block | undefined, b: Block | undefined): boolean => a?.times === b?.times && a?.at === b?.at;
