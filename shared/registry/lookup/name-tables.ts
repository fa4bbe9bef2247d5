import { LRUCache } from 'lru-cache';
import { type NameTable, nameTable } from '../../providers/index.ts';
import type { CatalogView } from './definitions.ts';
import { numberCatalogs } from './number-catalogs.ts';

const BYTES_A_NAME = 100;

/** The names a provider's models use for the visible tools. */
export type NameTables = (view: CatalogView, provider: string) => NameTable;

/** Name tables, each built once per catalogue state. */
export const createNameTables = (): NameTables => {
  const tables = new LRUCache<string, { readonly revision: number; readonly made: NameTable }>({
    max: 100,
    maxSize: 32_000_000,
  });
  const numberOf = numberCatalogs();
  return ({ catalog, confined }, provider) => {
    if (confined) return nameTable(provider, confined);
    const { revision } = catalog;
    const key = `${numberOf(catalog)} ${provider}`;
    const known = tables.get(key);
    if (known?.revision === revision) return known.made;
    const made = nameTable(provider, catalog.names());
    tables.set(key, { revision, made }, { size: (made.table.size + 1) * BYTES_A_NAME });
    return made;
  };
};
