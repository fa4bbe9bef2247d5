import { LRUCache } from 'lru-cache';
import { type NameTable, nameTable } from '../../providers/index.ts';
import type { View } from './definitions.ts';
import { numberStates } from './number-states.ts';

const BYTES_A_NAME = 100;

/** The names by which a provider's models call the tools of a view. */
export type NameTables = (view: View, provider: string) => NameTable;

/** Name tables, each made once for a state of the catalogue. */
export const createNameTables = (): NameTables => {
  const tables = new LRUCache<string, NameTable>({ max: 100, maxSize: 32_000_000 });
  const stateOf = numberStates();
  return ({ catalog, confined }, provider) => {
    if (confined) return nameTable(provider, confined);
    const key = `${stateOf(catalog)} ${provider}`;
    const known = tables.get(key);
    if (known) return known;
    const made = nameTable(provider, catalog.names());
    tables.set(key, made, { size: (made.table.size + 1) * BYTES_A_NAME });
    return made;
  };
};
