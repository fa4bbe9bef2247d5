import { type NameTable, nameTable } from '../../providers/index.ts';
import type { View } from './definitions.ts';
import { Kept } from './kept.ts';
import { numberStates } from './number-states.ts';

const BYTES_A_NAME = 100;

/** The names by which a provider's models call the tools, prepared once for a state of the catalogue. */
/** The names that a provider's models know a view's tools by. */
export type NameTables = (view: View, provider: string) => NameTable;

export const createNameTables = (): NameTables => {
  const tables = new Kept<NameTable>({ entries: 100, bytes: 32_000_000 });
  const stateOf = numberStates();
  return ({ catalog, confined }, provider) => {
    if (confined) return nameTable(provider, confined);
    const key = `${stateOf(catalog)} ${provider}`;
    const known = tables.get(key);
    if (known) return known;
    const made = nameTable(provider, catalog.names());
    tables.set(key, made, made.table.size * BYTES_A_NAME);
    return made;
  };
};
