import { blockKey, blocksPk, ratingsPk, statsKey, statsPk } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { read, readAll } from '../kernel/stored.ts';
import { type BlockDecision, BlockItem } from './block.ts';
import { type Ratings, RatingsItem } from './feedback.ts';
import { queryAll, readTotals, readTotalsOf } from './read-totals.ts';
import { type ShardStats, sumStats } from './shard-stats.ts';
import { StatsItem, type StatsTotal } from './stats.ts';

/** The statistics of one version; undefined before its first call. */
export const readStats = async (
  table: Table,
  tenant: string,
  name: string,
  version: string,
): Promise<StatsTotal | undefined> => {
  const id = `${name}#${version}`;
  const [base, shards, block] = await Promise.all([
    table.get(statsKey(tenant, name, version)),
    readTotalsOf(table, tenant, id),
    table.streams ? table.get(blockKey(tenant, name, version)) : undefined,
  ]);
  const held = shards.flatMap(({ stats }) => stats[id] ?? []);
  return withBlock(sumStats(name, version, base && read(base, StatsItem), held), block && read(block, BlockItem));
};

/** The statistics of all versions of a tool, or of all tools. */
export const readAllStats = async (table: Table, tenant: string, name?: string): Promise<readonly StatsTotal[]> => {
  const range = { prefix: name === undefined ? undefined : `${name}#` };
  const bases = readAll(await queryAll(table, statsPk(tenant), range), StatsItem);
  if (!table.streams) return bases;
  const [totals, blocks] = await Promise.all([readTotals(table, tenant), queryAll(table, blocksPk(tenant), range)]);
  const byId = new Map<string, ShardStats[]>();
  for (const { stats } of totals)
    for (const [id, counted] of Object.entries(stats))
      if (name === undefined || id.startsWith(`${name}#`)) byId.set(id, [...(byId.get(id) ?? []), counted]);
  const baseOf = new Map(bases.map((each) => [`${each.tool}#${each.version}`, each]));
  const blockOf = new Map(blocks.flatMap((item) => readAll([item], BlockItem).map((block) => [item.key.sk, block])));
  return [...new Set([...baseOf.keys(), ...byId.keys()])].sort().flatMap((id) => {
    const [tool = '', version = ''] = id.split('#');
    const sum = sumStats(tool, version, baseOf.get(id), byId.get(id) ?? []);
    return withBlock(sum, blockOf.get(id)) ?? [];
  });
};

/** Where calls are folded from a stream, blocking is decided on the sum and stored separately. */
const withBlock = (stats: StatsTotal | undefined, decided: BlockDecision | undefined): StatsTotal | undefined => {
  if (!stats || !decided) return stats;
  const { block: _, ...unblocked } = stats;
  return decided.block ? { ...unblocked, block: decided.block } : unblocked;
};

/** The ratings of all tools, by `<tool>#<version>`. */
export const readRatings = async (table: Table, tenant: string): Promise<ReadonlyMap<string, Ratings>> => {
  const { items } = await table.query(ratingsPk(tenant));
  return new Map(items.flatMap((item) => readAll([item], RatingsItem).map((ratings) => [item.key.sk, ratings])));
};
