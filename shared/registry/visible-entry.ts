import { type Confined, visibleTools } from '../access/visible-tools.ts';
import type { Catalog } from './catalog.ts';
import { unknownTool } from './change-tool.ts';
import type { Entry } from './entry.ts';

/** A tool that the key sees; one outside its list is reported as unknown. */
export const findEntry = (catalog: Catalog, actor: Confined, name: string): Entry | undefined =>
  visibleTools(actor).has(name) ? catalog.get(name) : undefined;

/** The tool, or an error that suggests the nearest name the key may know. */
export const requireEntry = (catalog: Catalog, actor: Confined, name: string): Entry => {
  const entry = visibleTools(actor).has(name) ? catalog.find(name) : undefined;
  if (entry) return entry;
  throw unknownTool(name, visibleTools(actor).only ?? catalog.names());
};
