import type { Confined } from '../access/visible-tools.ts';
import type { Tool } from '../model/tool.ts';
import type { TenantCatalog } from './tenant-index.ts';
import { findEntry } from './visible-entry.ts';

export interface ToolSearch {
  readonly query: string;
  readonly limit: number;
  /** Only these, where the caller gave its model only some tools. */
  readonly allowed?: readonly string[] | undefined;
}

/** The tools that match a text best, ranked, among those the key sees. */
export async function findTools(held: TenantCatalog, actor: Confined, search: ToolSearch): Promise<readonly Tool[]> {
  const { query, limit } = search;
  if (query.trim() === '') return [];
  const allowed = search.allowed && new Set(search.allowed);
  const accept = (name: string): boolean =>
    (allowed?.has(name) ?? true) && findEntry(held.catalog, actor, name)?.family.enabled === true;
  const hits = await held.find(query, { limit, accept });
  return hits.flatMap(({ name }) => held.catalog.get(name)?.record.spec ?? []);
}
