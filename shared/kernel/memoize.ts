import { LRUCache } from 'lru-cache';
import { lazily } from './lazily.ts';

/** Computes a value once per key, and keeps the most recently used: so many, and of so much size where one is given. */
export const memoize = <Value extends object>(
  max: number,
  maxSize?: number,
): ((key: string, make: () => Value, size?: () => number) => Value) => {
  // Its places are laid out at once: only where there is something to keep.
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
