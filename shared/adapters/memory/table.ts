import type { Item, Key, Page, PageQuery, Table } from '../../kernel/ports.ts';
import { addCounters, checkCount } from '../counters.ts';
import {
  checkKey,
  checkKeys,
  checkQuery,
  compareSortKeys,
  createItem,
  isLive,
  nextRevisions,
  type PreparedWrite,
  prepareChange,
  prepareWrites,
  sortKeyRange,
} from '../table-rules.ts';

/** A table in memory; items it returns are frozen. */
export function memoryTable({ now = Date.now }: { readonly now?: () => number } = {}): Table {
  const partitions = new Map<string, Partition>();

  const read = ({ pk, sk }: Key): Item | undefined => {
    const item = partitions.get(pk)?.items.get(sk);
    return item && isLive(item.expires, now()) ? item : undefined;
  };

  const store = (write: PreparedWrite, revision: number): void => {
    const partition = partitions.get(write.key.pk) ?? { items: new Map(), order: [] };
    partitions.set(write.key.pk, partition);
    if (write.text === undefined) removeItem(partition, write.key.sk);
    else putItem(partition, frozen(createItem({ ...write.key }, revision, write.expires, JSON.parse(write.text))));
    if (partition.items.size === 0) partitions.delete(write.key.pk);
    if (++writesSinceSweep > writesPerSweep) sweep();
  };

  let writesSinceSweep = 0;
  const sweep = (): void => {
    writesSinceSweep = 0;
    for (const [pk, partition] of partitions) {
      for (const { key, expires } of partition.items.values())
        if (!isLive(expires, now())) removeItem(partition, key.sk);
      if (partition.items.size === 0) partitions.delete(pk);
    }
  };

  return {
    streams: false,
    async get(key) {
      checkKey(key);
      return read(key);
    },
    async query(pk, query = {}) {
      checkQuery(pk, query);
      const partition = partitions.get(pk);
      return partition ? cutPage(partition, query, now()) : { items: [] };
    },
    async scan(prefix) {
      const found = [...partitions].filter(([pk]) => pk.startsWith(prefix));
      return {
        items: found.flatMap(([, { items }]) => [...items.values()].filter(({ expires }) => isLive(expires, now()))),
      };
    },
    async change(keys, rule) {
      checkKeys(keys);
      const items = keys.map(read);
      const { writes, result } = rule(items);
      const revisionOf = nextRevisions(keys, items);
      for (const write of prepareChange(keys, writes)) store(write, revisionOf(write.key));
      return result;
    },
    async write(writes) {
      for (const write of prepareWrites(writes)) store(write, 1);
    },
    async count(key, add, limits = {}, expires = undefined) {
      checkCount(key, add, limits, expires);
      const before = read(key);
      const after = addCounters(key, before, add, limits);
      if (after)
        store({ key, text: JSON.stringify(after), expires: expires ?? before?.expires }, (before?.revision ?? 0) + 1);
      return after;
    },
    async close() {},
  };
}

const writesPerSweep = 10_000;

interface Partition {
  readonly items: Map<string, Item>;
  /** The sort keys in order, for queries. */
  readonly order: string[];
}

function putItem({ items, order }: Partition, item: Item): void {
  const { sk } = item.key;
  if (!items.has(sk)) order.splice(placeIn(order, sk), 0, sk);
  items.set(sk, item);
}

function removeItem({ items, order }: Partition, sk: string): void {
  if (items.delete(sk)) order.splice(placeIn(order, sk), 1);
}

function cutPage({ items, order }: Partition, query: PageQuery, nowMs: number): Page {
  const { limit = Number.POSITIVE_INFINITY, reverse = false } = query;
  const { from, to } = sortKeyRange(query);
  const first = placeIn(order, from);
  const last = placeIn(order, to) - 1;
  const page: Item[] = [];
  for (let step = 0; step <= last - first; step++) {
    const item = items.get(order[reverse ? last - step : first + step] ?? '');
    if (!item || !isLive(item.expires, nowMs)) continue;
    if (page.length === limit) return { items: page, next: page.at(-1)?.key.sk ?? '' };
    page.push(item);
  }
  return { items: page };
}

/** Where a sort key is, or would have to be put, in the order. */
function placeIn(order: readonly string[], sk: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareSortKeys(order[middle] ?? '', sk) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
