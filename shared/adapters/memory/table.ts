import type { Item, Key, Page, PageQuery, Table } from '../../ports.ts';
import { addCounters, checkAmounts } from '../counters.ts';
import {
  checkExpires,
  checkKey,
  checkQuery,
  compareSortKeys,
  isLive,
  itemOf,
  type Prepared,
  prepareChange,
  prepareWrites,
} from '../table-rules.ts';

/** A table that lives as long as the process; what it hands out is frozen. */
export function memoryTable({ now = Date.now }: { readonly now?: () => number } = {}): Table {
  const partitions = new Map<string, Partition>();

  const read = ({ pk, sk }: Key): Item | undefined => {
    const item = partitions.get(pk)?.items.get(sk);
    return item && isLive(item.expires, now()) ? item : undefined;
  };

  const store = (write: Prepared, revision: number): void => {
    const partition = partitions.get(write.key.pk) ?? { items: new Map(), order: [] };
    partitions.set(write.key.pk, partition);
    if (write.text === undefined) removeItem(partition, write.key.sk);
    else putItem(partition, frozen(itemOf({ ...write.key }, revision, write.expires, JSON.parse(write.text))));
    if (partition.items.size === 0) partitions.delete(write.key.pk);
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
      return partition ? pageOf(partition, query, now()) : { items: [] };
    },
    async change(keys, rule) {
      keys.forEach(checkKey);
      const { writes, result } = rule(keys.map(read));
      for (const write of prepareChange(keys, writes)) store(write, (read(write.key)?.revision ?? 0) + 1);
      return result;
    },
    async write(writes) {
      for (const write of prepareWrites(writes)) store(write, 1);
    },
    async count(key, add, limits = {}, expires = undefined) {
      checkKey(key);
      checkAmounts(add);
      checkAmounts(limits);
      if (expires !== undefined) checkExpires(expires);
      const before = read(key);
      const after = addCounters(key, before, add, limits);
      if (after)
        store({ key, text: JSON.stringify(after), expires: expires ?? before?.expires }, (before?.revision ?? 0) + 1);
      return after;
    },
    async close() {},
  };
}

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

const placeIn = (order: readonly string[], sk: string): number =>
  placeOf(order, (other) => compareSortKeys(other, sk) >= 0);

function pageOf({ items, order }: Partition, query: PageQuery, nowMs: number): Page {
  const { prefix = '', after, limit = Number.POSITIVE_INFINITY, reverse = false } = query;
  const first = placeOf(order, (sk) => compareSortKeys(sk, prefix) >= 0);
  const end = placeOf(order, (sk) => compareSortKeys(sk, prefix) > 0 && !sk.startsWith(prefix));
  const from = after === undefined || reverse ? first : placeOf(order, (sk) => compareSortKeys(sk, after) > 0);
  const to = after === undefined || !reverse ? end : placeOf(order, (sk) => compareSortKeys(sk, after) >= 0);

  const page: Item[] = [];
  const [lowest, highest] = [Math.max(first, from), Math.min(end, to) - 1];
  for (let step = 0; step <= highest - lowest; step++) {
    const item = items.get(order[reverse ? highest - step : lowest + step] ?? '');
    if (!item || !isLive(item.expires, nowMs)) continue;
    if (page.length === limit) return { items: page, next: page.at(-1)?.key.sk ?? '' };
    page.push(item);
  }
  return { items: page };
}

/** The first place in the order where a condition holds that holds from there on. */
function placeOf(order: readonly string[], holds: (sk: string) => boolean): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(order[middle] ?? '')) high = middle;
    else low = middle + 1;
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
