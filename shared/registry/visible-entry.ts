import { type Confined, visibleTools } from '../access/visible-tools.ts';
import type { Catalog } from './catalog.ts';
import { unknownTool } from './change-tool.ts';
import type { Entry } from './entry.ts';

/** A tool as far as the key sees it; one outside its list is as unknown as one that does not exist. */
export const findEntry = (catalog: Catalog, actor: Confined, name: string): Entry | undefined =>
  visibleTools(actor).has(name) ? catalog.get(name) : undefined;

/** The tool, or a refusal that suggests the nearest name the key may know. */
export const requireEntry = (catalog: Catalog, actor: Confined, name: string): Entry => {
  const entry = visibleTools(actor).has(name) ? catalog.find(name) : undefined;
  if (entry) return entry;
  throw unknownTool(name, visibleTools(actor).only ?? catalog.names());
};
