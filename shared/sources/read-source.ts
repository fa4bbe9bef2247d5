import { suggest } from '../kernel/did-you-mean.ts';
import { Fault } from '../kernel/errors.ts';
import { SOURCE_PREFIX, sourceKey, toolsPk } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { read, readAll } from '../kernel/stored.ts';
import { type Source, SourceItem } from '../model/source.ts';

export const findSource = async (table: Table, tenant: string, name: string): Promise<Source | undefined> => {
  const item = await table.get(sourceKey(tenant, name));
  return item && read(item, SourceItem);
};

export const readSources = async (table: Table, tenant: string): Promise<readonly Source[]> => {
  const { items } = await table.query(toolsPk(tenant), { prefix: SOURCE_PREFIX });
  return readAll(items, SourceItem);
};

/** The source with a name, or a fault that lists the existing ones. */
export const requireSource = async (table: Table, tenant: string, name: string): Promise<Source> => {
  const source = await findSource(table, tenant, name);
  if (source) return source;
  throw unknownSource(
    name,
    (await readSources(table, tenant)).map((each) => each.name),
  );
};

export const unknownSource = (name: string, known: readonly string[] = []): Fault =>
  new Fault('NotFound', `no source named ${JSON.stringify(name)}${suggest(name, known)}`, { name });
