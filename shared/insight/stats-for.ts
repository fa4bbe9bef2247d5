import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import type { Actor } from '../model/key.ts';
import { unknownTool } from '../registry/change-tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import { mergeStats } from './merge-stats.ts';
import { readAllStats, readStats } from './read-stats.ts';
import { emptyStats } from './stats.ts';
import { type StatsView, viewStats } from './stats-view.ts';

/** The statistics of a version, or with `all` of every version, including removed ones. */
export const statsFor = async (
  { table, catalogs }: Pick<RegistryContext, 'table' | 'catalogs'>,
  actor: Actor,
  name: string,
  version?: string,
): Promise<StatsView> => {
  requireScope(actor, 'read');
  const visible = visibleTools(actor);
  const { catalog } = await catalogs.of(actor.tenant);
  const wanted = version ?? catalog.get(name)?.record.version;
  if (wanted === undefined || !visible.has(name)) throw unknownTool(name, visible.only ?? catalog.names());
  if (wanted !== 'all')
    return viewStats((await readStats(table, actor.tenant, name, wanted)) ?? emptyStats(name, wanted));
  const all = await readAllStats(table, actor.tenant, name);
  return viewStats(all.reduce(mergeStats, emptyStats(name, 'all')));
};
