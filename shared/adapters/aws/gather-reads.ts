import type { Key } from '../../kernel/ports.ts';
import { textOfKey } from '../table-rules.ts';
import type { DynamoAccess } from './dynamo-access.ts';
import type { StampedItem } from './dynamo-items.ts';

/** DynamoDB's limit for one request. */
const MOST_KEYS = 100;

interface Waiting extends PromiseWithResolvers<StampedItem | undefined> {
  readonly key: Key;
}

/**
 * Batches the single reads of one turn of the event loop. A request costs about a millisecond of CPU time whatever its
 * size, so a batch job that reads a thousand items would spend most of its time on requests.
 */
export const gatherReads = (access: DynamoAccess): DynamoAccess => {
  const waiting = new Map<string, Waiting>();

  const send = async (group: readonly Waiting[]): Promise<void> => {
    const [first, ...others] = group;
    if (!first) return;
    try {
      if (others.length === 0) return first.resolve(await access.get(first.key));
      const found = await access.getMany(group.map(({ key }) => key));
      const byName = new Map(found.map((stored) => [textOfKey(stored.item.key), stored]));
      for (const { key, resolve } of group) resolve(byName.get(textOfKey(key)));
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  };

  const flush = (): void => {
    const all = [...waiting.values()];
    waiting.clear();
    for (let at = 0; at < all.length; at += MOST_KEYS) void send(all.slice(at, at + MOST_KEYS));
  };

  return {
    ...access,
    get(key) {
      const name = textOfKey(key);
      const same = waiting.get(name);
      if (same) return same.promise;
      if (waiting.size === 0) setImmediate(flush);
      const own = { key, ...Promise.withResolvers<StampedItem | undefined>() };
      waiting.set(name, own);
      return own.promise;
    },
  };
};
