import { randomBytes } from 'node:crypto';
import type { Change, Item, Key, Page, PageQuery, Table } from '../../kernel/ports.ts';
import { addCounters, type Counters, checkCount, notCounters } from '../counters.ts';
import {
  checkKey,
  checkKeys,
  checkQuery,
  isLive,
  nextRevisions,
  prepareChange,
  prepareWrites,
  textOfKey,
} from '../table-rules.ts';
import { isNamed } from './aws-failures.ts';
import { repeatedly } from './backoff.ts';
import { type DynamoAccess, dynamoAccess } from './dynamo-access.ts';
import { type Count, countRequest } from './dynamo-count.ts';
import { isLostRace } from './dynamo-failures.ts';
import { type Attributes, decodeCounters, decodeItem, type StampedItem } from './dynamo-items.ts';
import { batchRequests, changeRequest, type Decided, queryRequest, type Read, scanRequest } from './dynamo-requests.ts';
import { gatherReads } from './gather-reads.ts';
import type { JsonCall } from './json-service.ts';
import { keyQueue } from './key-queue.ts';

export interface DynamoTableOptions {
  readonly call: JsonCall;
  readonly tableName: string;
  readonly now?: () => number;
  /** Receives the write units of each write. */
  readonly onCapacity?: (units: number) => void;
  /** Batches concurrent reads into one request, for batch work with hundreds of reads. */
  readonly gathersReads?: boolean;
}

/** A table in DynamoDB. */
export function dynamoTable(options: DynamoTableOptions): Table {
  const { call, tableName, now = Date.now, onCapacity = () => {}, gathersReads = false } = options;
  const access = dynamoAccess(call, tableName, onCapacity);
  const store: Store = { access: gathersReads ? gatherReads(access) : access, tableName, now };
  const queue = keyQueue();

  return {
    streams: true,
    async get(key) {
      checkKey(key);
      return live(store, await store.access.get(key));
    },
    async query(pk, query = {}) {
      checkQuery(pk, query);
      return readPage(store, pk, query);
    },
    async scan(prefix, after) {
      const { stored, resume } = await store.access.scan(scanRequest(tableName, prefix, after));
      const items = stored.map(({ item }) => item).filter(({ expires }) => isLive(expires, now()));
      return resume ? { items, next: { pk: resume.pk?.S ?? '', sk: resume.sk?.S ?? '' } } : { items };
    },
    async change(keys, rule) {
      checkKeys(keys);
      const names = keys.map(textOfKey);
      const problem = `${keys.map(({ pk, sk }) => `${pk} ${sk}`).join(', ')} kept being changed by others`;
      return queue(names, () => repeatedly(problem, () => tryChange(store, keys, rule)));
    },
    async write(writes) {
      for (const requests of batchRequests(prepareWrites(writes), newStamp)) await store.access.writeBatch(requests);
    },
    async count(key, add, limits = {}, expires = undefined) {
      checkCount(key, add, limits, expires);
      const count = { key, add, limits, expires, stamp: newStamp() };
      return repeatedly(`${key.pk} ${key.sk} kept being changed by others`, () => tryCount(store, count));
    },
    async close() {},
  };
}

interface Store {
  readonly access: DynamoAccess;
  readonly tableName: string;
  readonly now: () => number;
}

type Attempt<T> = Promise<{ readonly done: T } | undefined>;

const newStamp = (): string => randomBytes(9).toString('base64url');

const live = ({ now }: Store, stored: StampedItem | undefined): Item | undefined =>
  stored && isLive(stored.item.expires, now()) ? stored.item : undefined;

async function readPage(store: Store, pk: string, query: PageQuery): Promise<Page> {
  const { limit = Number.POSITIVE_INFINITY } = query;
  const items: Item[] = [];
  let start: Attributes | undefined;
  do {
    const request = queryRequest(store.tableName, pk, query, { start, missing: limit + 1 - items.length });
    if (!request) break;
    const { stored, resume } = await store.access.query(request);
    items.push(...stored.map(({ item }) => item).filter(({ expires }) => isLive(expires, store.now())));
    start = resume;
  } while (start && items.length <= limit);
  const last = items.length > limit ? items[limit - 1] : undefined;
  return last ? { items: items.slice(0, limit), next: last.key.sk } : { items };
}

async function tryChange<T>(
  store: Store,
  keys: readonly Key[],
  rule: (items: readonly (Item | undefined)[]) => Change<T>,
): Attempt<T> {
  const reads = await readAll(store, keys);
  const items = keys.map((key) => live(store, reads.get(textOfKey(key))?.stored));
  let change: Change<T>;
  try {
    change = rule(items);
  } catch (thrown) {
    if (await isStillSo(store, reads)) throw thrown;
    return undefined;
  }
  const writes = prepareChange(keys, change.writes);
  const isStored =
    writes.length === 0
      ? await isStillSo(store, reads)
      : await storeIfUnchanged(store, [...reads.values()], {
          writes,
          revisionOf: nextRevisions(keys, items),
          stamp: newStamp(),
        });
  return isStored ? { done: change.result } : undefined;
}

async function readAll({ access }: Store, keys: readonly Key[]): Promise<ReadonlyMap<string, Read>> {
  const reads = new Map<string, Read>(keys.map((key) => [textOfKey(key), { key, stored: undefined }]));
  const [key, ...others] = [...reads.values()].map((read) => read.key);
  const found =
    key && others.length === 0 ? [await access.get(key)] : key ? await access.getMany([key, ...others]) : [];
  for (const stored of found) if (stored) reads.set(textOfKey(stored.item.key), { key: stored.item.key, stored });
  return reads;
}

/** Whether items read one after another are still unchanged; a conditional write would check that itself. */
async function isStillSo(store: Store, reads: ReadonlyMap<string, Read>): Promise<boolean> {
  if (reads.size < 2) return true;
  const again = await readAll(
    store,
    [...reads.values()].map(({ key }) => key),
  );
  return [...reads].every(([name, { stored }]) => stored?.stamp === again.get(name)?.stored?.stamp);
}

async function storeIfUnchanged(store: Store, reads: readonly Read[], decided: Decided): Promise<boolean> {
  const request = changeRequest(store.tableName, reads, decided);
  try {
    if ('put' in request) await store.access.put(request.put);
    else await store.access.transact(request.transaction);
    return true;
  } catch (thrown) {
    if (isOwnWrite(thrown, decided.stamp)) return true;
    if (isLostRace(thrown)) return false;
    throw thrown;
  }
}

/** Whether a condition failed only because the same request had already succeeded and its response was lost. */
const isOwnWrite = (thrown: unknown, stamp: string): boolean => itemOf(thrown)?.stamp?.S === stamp;

/** The item on which a condition failed; undefined for any other error. */
const itemOf = (thrown: unknown): Attributes | undefined =>
  isConditionFailed(thrown) ? (thrown as { readonly Item?: Attributes }).Item : undefined;

const isConditionFailed = (thrown: unknown): boolean => isNamed(thrown, 'ConditionalCheckFailedException');

async function tryCount(store: Store, count: Count): Attempt<Counters | undefined> {
  try {
    return { done: decodeCounters(await store.access.update(countRequest(store.tableName, count, store.now()))) };
  } catch (thrown) {
    if (!isLostRace(thrown)) throw thrown;
    if (!isConditionFailed(thrown)) return undefined;
    const item = itemOf(thrown);
    const stored = item && decodeItem(item);
    if (stored?.stamp === count.stamp) return { done: stored.item.body as Counters };
    if (stored && !live(store, stored)) return startAgain(store, count, stored);
    if (item?.body) throw notCounters(count.key);
    return { done: undefined };
  }
}

/** Replaces expired counters that DynamoDB has not removed yet. */
async function startAgain(store: Store, count: Count, stored: StampedItem): Attempt<Counters | undefined> {
  const { key, add, limits, expires, stamp } = count;
  const counters = addCounters(key, undefined, add, limits);
  if (!counters) return { done: undefined };
  const writes = [{ key, text: JSON.stringify(counters), expires }];
  const isStored = await storeIfUnchanged(store, [{ key, stored }], { writes, revisionOf: () => 1, stamp });
  return isStored ? { done: counters } : undefined;
}
