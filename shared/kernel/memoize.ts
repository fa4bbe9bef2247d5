import { LRUCache } from 'lru-cache';
import { lazily } from './lazily.ts';

/** Caches values by key and keeps the most recently used: at most `max`, and at most `maxSize` in total where given. */
export const memoize = <Value extends object>(
  max: number,
  maxSize?: number,
): ((key: string, make: () => Value, size?: () => number) => Value) => {
  // An LRU cache allocates all its slots at once, so it is created with its first value.
  const kept = lazily(() => new LRUCache<string, Value>({ max, maxSize }));
  return (key, make, size) => {
    const made = kept();
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make();
    made.set(key, value, size && { size: size() });
    return value;
  };
};
