import { LRUCache } from 'lru-cache';

/** Computes a value once per key, and keeps the most recently used. */
export const memoize = <Value extends object>(max: number): ((key: string, make: () => Value) => Value) => {
  const made = new LRUCache<string, Value>({ max });
  return (key, make) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make();
    made.set(key, value);
    return value;
  };
};
