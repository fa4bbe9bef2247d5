import { ratingsPk, statsKey, statsPk } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { read, readAll } from '../kernel/stored.ts';
import { type Ratings, RatingsItem } from './feedback.ts';
import { StatsItem, type StatsTotal } from './stats.ts';

/** The statistics of one version; undefined before its first call. */
export const readStats = async (
  table: Table,
  tenant: string,
  name: string,
  version: string,
): Promise<StatsTotal | undefined> => {
  const item = await table.get(statsKey(tenant, name, version));
  return item && read(item, StatsItem);
};

/** The statistics of all versions of a tool, or of all tools. */
export const readAllStats = async (table: Table, tenant: string, name?: string): Promise<readonly StatsTotal[]> => {
  const { items } = await table.query(statsPk(tenant), name === undefined ? {} : { prefix: `${name}#` });
  return readAll(items, StatsItem);
};

/** The ratings of all tools, by name and version as their key has them. */
export const readRatings = async (table: Table, tenant: string): Promise<ReadonlyMap<string, Ratings>> => {
  const { items } = await table.query(ratingsPk(tenant));
  return new Map(items.flatMap((item) => readAll([item], RatingsItem).map((ratings) => [item.key.sk, ratings])));
};
