import { Fault } from '../kernel/errors.ts';
import type { Item, Key } from '../kernel/ports.ts';
import { checkExpires, checkKey } from './table-rules.ts';

export type Counters = Readonly<Record<string, number>>;

/** The counters after adding; undefined when one would exceed its limit. */
export function addCounters(key: Key, before: Item | undefined, add: Counters, limits: Counters): Counters | undefined {
  const after = new Map(Object.entries(countersOf(key, before?.body ?? {})));
  for (const [name, amount] of Object.entries(add)) after.set(name, (after.get(name) ?? 0) + amount);
  const isWithin = Object.entries(limits).every(([name, limit]) => (after.get(name) ?? 0) <= limit);
  return isWithin ? Object.fromEntries(after) : undefined;
}

/** Refuses a count that not every table supports. */
export function checkCount(key: Key, add: Counters, limits: Counters, expires: number | undefined): void {
  checkKey(key);
  if (expires !== undefined) checkExpires(expires);
  for (const [name, amount] of [...Object.entries(add), ...Object.entries(limits)])
    if (!Number.isSafeInteger(amount))
      throw new Fault('InvalidInput', `counter ${name} takes whole numbers, not ${amount}`);
}

/** Whether a body has only integers, so that `count` can add to it. */
export const isCounters = (body: Item['body']): body is Counters => Object.values(body).every(Number.isSafeInteger);

function countersOf(key: Key, body: Item['body']): Counters {
  if (!isCounters(body)) throw notCounters(key);
  return body;
}

/** The error of `count` for an item that has more than integers. */
export const notCounters = ({ pk, sk }: Key): Fault =>
  new Fault('Conflict', `${pk} ${sk} holds more than whole numbers; use change instead of count`);
