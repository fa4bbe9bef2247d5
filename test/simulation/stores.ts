import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import type { Blobs, Item, Key, Table, Write } from '../../shared/kernel/ports.ts';
import type { Turns } from './dying-store.ts';

export interface Store {
  readonly table: Table;
  readonly blobs: Blobs;
}

/** Opens an empty store that sees the given time; one that answers in a time of its own takes turns. */
export type OpenStore = (now: () => number, turns: Pick<Turns, 'request'>) => Store;

export const openMemory: OpenStore = (now) => ({ table: memoryTable({ now }), blobs: memoryBlobs() });
export const openSqlite: OpenStore = (now) => ({ table: sqliteTable({ path: ':memory:', now }), blobs: memoryBlobs() });

/** A part of a table that several simulations share, each under a prefix of its own. */
export const prefixed = (table: Table, prefix: string): Table => {
  const into = ({ pk, sk }: Key): Key => ({ pk: prefix + pk, sk });
  const back = <T extends Item | undefined>(item: T): T =>
    item && { ...item, key: { pk: item.key.pk.slice(prefix.length), sk: item.key.sk } };
  const write = (given: Write): Write =>
    'put' in given ? { ...given, put: into(given.put) } : { ...given, remove: into(given.remove) };
  return {
    streams: table.streams,
    get: async (key) => back(await table.get(into(key))),
    async query(pk, query) {
      const page = await table.query(prefix + pk, query);
      return { ...page, items: page.items.map(back) };
    },
    async scan(begin, after) {
      const { items, next } = await table.scan(prefix + begin, after && into(after));
      return { items: items.map(back), ...(next && { next: { ...next, pk: next.pk.slice(prefix.length) } }) };
    },
    change: (keys, rule) =>
      table.change(keys.map(into), (items) => {
        const { writes, result } = rule(items.map(back));
        return { writes: writes.map(write), result };
      }),
    write: (writes) => table.write(writes.map(write)),
    count: (key, add, limits, expires) => table.count(into(key), add, limits, expires),
    close: async () => {},
  };
};

/** A store on a disk with room for so many more writes. */
export const fillingDisk = ({ table, blobs }: Store): Store & { readonly disk: { room: number } } => {
  const disk = { room: Number.POSITIVE_INFINITY };
  const take = (): void => {
    if (disk.room <= 0) throw new Error('database or disk is full');
    disk.room--;
  };
  const writing = async <T>(work: () => Promise<T>): Promise<T> => {
    take();
    return work();
  };
  return {
    disk,
    table: {
      ...table,
      change: (keys, rule) =>
        table.change(keys, (items) => {
          const change = rule(items);
          if (change.writes.length > 0) take();
          return change;
        }),
      write: (writes) => writing(() => table.write(writes)),
      count: (...given) => writing(() => table.count(...given)),
    },
    blobs: { ...blobs, put: (...given) => writing(() => blobs.put(...given)) },
  };
};

/** A store that tells what is done to it. */
export const told = ({ table, blobs }: Store, tell: (line: string) => void): Store => ({
  table: {
    ...table,
    get(key) {
      tell(`get ${key.pk} ${key.sk}`);
      return table.get(key);
    },
    change: (keys, rule) =>
      table.change(keys, (items) => {
        const change = rule(items);
        tell(`change ${JSON.stringify(change.writes)}`);
        return change;
      }),
    write(writes) {
      tell(`write ${JSON.stringify(writes)}`);
      return table.write(writes);
    },
    count(key, add, ...rest) {
      tell(`count ${key.pk} ${JSON.stringify(add)}`);
      return table.count(key, add, ...rest);
    },
  },
  blobs,
});

/** What a store holds, as far as it was written through the table returned beside it. */
export const watchItems = (table: Table): { readonly table: Table; readonly items: () => Promise<readonly Item[]> } => {
  const partitions = new Set<string>();
  const seen = (writes: readonly Write[]): void => {
    for (const write of writes) partitions.add('put' in write ? write.put.pk : write.remove.pk);
  };
  return {
    table: {
      ...table,
      change: (keys, rule) =>
        table.change(keys, (items) => {
          const change = rule(items);
          seen(change.writes);
          return change;
        }),
      write(writes) {
        seen(writes);
        return table.write(writes);
      },
      count(key, ...rest) {
        partitions.add(key.pk);
        return table.count(key, ...rest);
      },
    },
    async items() {
      const pages = await Promise.all([...partitions].map((pk) => table.query(pk)));
      return pages.flatMap(({ items }) => items);
    },
  };
};

/** Writes items into a store that is empty. */
export const restoreItems = async ({ table }: Pick<Store, 'table'>, items: readonly Item[]): Promise<void> => {
  const writes = items.map(({ key, body, expires }): Write => ({ put: key, body, expires }));
  for (let at = 0; at < writes.length; at += 25) await table.write(writes.slice(at, at + 25));
};
