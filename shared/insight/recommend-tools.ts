import { requireScope } from '../access/scopes.ts';
import type { Actor } from '../model/key.ts';
import type { RegistryContext } from '../registry/context.ts';
import { findEntry } from '../registry/visible-entry.ts';
import { readLists } from './lists.ts';
import { readAllStats, readRatings } from './read-stats.ts';
import { type Recommendation, type RecommendationCandidate, recommend } from './recommend.ts';

/** The number of best matches of a task that are ranked further. */
const MAX_MATCHES = 50;

export interface RecommendQuery {
  readonly task?: string | undefined;
  readonly limit: number;
}

/** Recommends tools for a task, or the best of all, with reasons. */
export const recommendTools = async (
  context: RegistryContext,
  actor: Actor,
  { task, limit }: RecommendQuery,
): Promise<readonly Recommendation[]> => {
  requireScope(actor, 'read');
  const { table, clock } = context;
  const { tenant } = actor;
  const lists = await readLists(table, tenant);
  const held = await context.catalogs.of(tenant);
  const isOffered = (name: string): boolean => findEntry(held.catalog, actor, name)?.family.enabled === true;
  const fits = task === undefined ? allFit(held.catalog.names()) : await rateFits(held, task, isOffered);
  for (const { name } of lists.whitelist) if (!fits.has(name)) fits.set(name, 0);
  const stats = new Map((await readAllStats(table, tenant)).map((one) => [`${one.tool}#${one.version}`, one]));
  const ratings = await readRatings(table, tenant);
  const candidates = [...fits].flatMap(([name, fit]): readonly RecommendationCandidate[] => {
    const version = held.catalog.get(name)?.record.version;
    const key = `${name}#${version}`;
    if (version === undefined || !isOffered(name)) return [];
    return [{ name, version, fit, stats: stats.get(key), ratings: ratings.get(key) }];
  });
  return recommend(candidates, lists, clock.now(), limit);
};

const allFit = (names: readonly string[]): Map<string, number> => new Map(names.map((name) => [name, 1]));

type TenantCatalog = Awaited<ReturnType<RegistryContext['catalogs']['of']>>;

const rateFits = async (
  held: TenantCatalog,
  task: string,
  accept: (name: string) => boolean,
): Promise<Map<string, number>> => {
  const hits = await held.find(task, { limit: MAX_MATCHES, accept });
  const best = hits[0]?.score ?? 1;
  return new Map(hits.map(({ name, score }) => [name, score / best]));
};
