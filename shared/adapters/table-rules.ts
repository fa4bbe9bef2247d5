import { Fault } from '../kernel/errors.ts';
import type { Item, Key, PageQuery, Write } from '../kernel/ports.ts';
import { damagedItem, parseBody } from '../kernel/stored.ts';

/**
 * DynamoDB's limits, enforced by every table, so that whatever works on a laptop works when deployed.
 * It allows 1024 bytes for a sort key; the bounds of a query are a little longer than the longest key.
 */
const tableLimits = {
  pkBytes: 2048,
  skBytes: 1000,
  itemBytes: 400 * 1024,
  changeItems: 100,
  changeBytes: 4 * 1024 * 1024,
} as const;

/** A write checked and ready to store: the body as JSON text, or undefined to remove the item. */
export interface PreparedWrite {
  readonly key: Key;
  readonly text: string | undefined;
  readonly expires: number | undefined;
}

/** Refuses a key that not every table supports. */
export function checkKey({ pk, sk }: Key): void {
  checkKeyPart('pk', pk, tableLimits.pkBytes);
  checkKeyPart('sk', sk, tableLimits.skBytes);
}

/** Refuses more keys than a change supports. */
export function checkKeys(keys: readonly Key[]): void {
  keys.forEach(checkKey);
  checkTotal('items', new Set(keys.map(textOfKey)).size, tableLimits.changeItems);
}

/** Refuses a query that not every table supports. */
export function checkQuery(pk: string, { prefix, after, limit }: PageQuery): void {
  checkKeyPart('pk', pk, tableLimits.pkBytes);
  if (prefix) checkKeyPart('prefix', prefix, tableLimits.skBytes);
  if (after) checkKeyPart('after', after, tableLimits.skBytes);
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
    throw new Fault('InvalidInput', `a page holds a whole number of items from 1 on, not ${limit}`);
}

/** The range of sort keys of a query; its end is exclusive. */
export function sortKeyRange({ prefix, after, reverse = false }: PageQuery): {
  readonly from: string;
  readonly to: string;
} {
  const from = prefix || lowest;
  const to = `${prefix ?? ''}${highest}`;
  if (!after) return { from, to };
  if (reverse) return { from, to: compareSortKeys(after, to) < 0 ? after : to };
  return { from: compareSortKeys(after, from) < 0 ? from : `${after}${lowest}`, to };
}

/** Checks the writes of a rule, together with the keys it has read. */
export function prepareChange(keys: readonly Key[], writes: readonly Write[]): readonly PreparedWrite[] {
  const prepared = prepareWrites(writes);
  const items = new Set([...keys, ...prepared.map(({ key }) => key)].map(textOfKey)).size;
  checkTotal('items', items, tableLimits.changeItems);
  checkTotal('bytes', prepared.map(sizeOf).reduce(sum, 0), tableLimits.changeBytes);
  return prepared;
}

/** The revision of each item that a change writes: one more than the one read, 1 for a new item. */
export function nextRevisions(keys: readonly Key[], items: readonly (Item | undefined)[]): (key: Key) => number {
  const revisions = new Map(keys.map((key, at) => [textOfKey(key), items[at]?.revision ?? 0]));
  return (key) => (revisions.get(textOfKey(key)) ?? 0) + 1;
}

/** Checks writes and turns their bodies into the JSON text that tables store. */
export function prepareWrites(writes: readonly Write[]): readonly PreparedWrite[] {
  const prepared = writes.map(prepare);
  const seen = new Set<string>();
  for (const { key } of prepared) {
    if (seen.has(textOfKey(key)))
      throw new Fault('InvalidInput', `${key.pk} ${key.sk} is written twice in one go; write it once`);
    seen.add(textOfKey(key));
  }
  return prepared;
}

/** A key as one text, separated by NUL, which no key contains. */
export const textOfKey = ({ pk, sk }: Key): string => `${pk}\0${sk}`;

/** Whether an item has not expired at a time in milliseconds. */
export const isLive = (expires: number | undefined, nowMs: number): boolean =>
  expires === undefined || expires * 1000 > nowMs;

/** An item as callers see it. */
export const createItem = (key: Key, revision: number, expires: number | undefined, body: Item['body']): Item =>
  expires === undefined ? { key, revision, body } : { key, revision, expires, body };

/** An item from the text that a table stores. */
export const itemOfText = (key: Key, revision: number, expires: number | undefined, text: string): Item => {
  const body = parseBody(text);
  return body ? createItem(key, revision, expires, body) : damagedItem(key, revision, expires);
};

/** Orders sort keys by code point, which is UTF-8's byte order; `<` compares UTF-16 units. */
export function compareSortKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function checkKeyPart(part: 'pk' | 'sk' | 'prefix' | 'after', text: string, limit: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes === 0 || bytes > limit)
    throw new Fault('InvalidInput', `${part} has 1 to ${limit} bytes, not ${bytes}: ${text.slice(0, 100)}`);
  if (text.includes('\0') || text.includes(highest) || !text.isWellFormed())
    throw new Fault('InvalidInput', `${part} holds NUL, U+10FFFF or half a character: ${JSON.stringify(text)}`);
}

function prepare(write: Write): PreparedWrite {
  if ('remove' in write) {
    checkKey(write.remove);
    return { key: write.remove, text: undefined, expires: undefined };
  }
  checkKey(write.put);
  if (write.expires !== undefined) checkExpires(write.expires);
  const prepared = { key: write.put, text: JSON.stringify(write.body), expires: write.expires };
  const bytes = sizeOf(prepared);
  if (bytes > tableLimits.itemBytes)
    throw new Fault(
      'TooLarge',
      `${write.put.pk} ${write.put.sk} would have ${bytes} bytes; an item has at most ${tableLimits.itemBytes}`,
      { bytes, limit: tableLimits.itemBytes },
    );
  return prepared;
}

/** Refuses a time that is not in whole seconds. */
export function checkExpires(expires: number): void {
  if (!Number.isSafeInteger(expires))
    throw new Fault('InvalidInput', `expires is in whole seconds since 1970, not ${expires}`);
}

// DynamoDB counts attribute names too: pk, sk, body, revision, expires, stamp and their values fit in 100 bytes.
const sizeOf = ({ key, text }: PreparedWrite): number =>
  100 + Buffer.byteLength(key.pk) + Buffer.byteLength(key.sk) + Buffer.byteLength(text ?? '');

function checkTotal(unit: 'items' | 'bytes', total: number, limit: number): void {
  if (total > limit)
    throw new Fault('TooLarge', `a change has at most ${limit} ${unit}, not ${total}; split it in several`, {
      [unit]: total,
      limit,
    });
}

// The bounds of sort keys: none contains NUL or U+10FFFF, which is not a character.
const lowest = '\u0001';
const highest = '\u{10ffff}';

const sum = (a: number, b: number): number => a + b;
const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
