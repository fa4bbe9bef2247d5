/** A map that forgets what was not used for longest. */
export interface RecentlyUsed<T> {
  get(key: string): T | undefined;
  /** Keeps a value and returns it. */
  set(key: string, value: T): T;
  delete(key: string): void;
  /** The keys, the one to be forgotten next first. */
  keys(): Iterable<string>;
  readonly size: number;
}

export const recentlyUsed = <T>(most: number, onForget: (value: T) => void = () => {}): RecentlyUsed<T> => {
  const kept = new Map<string, T>();
  const forget = (key: string): void => {
    const value = kept.get(key);
    if (kept.delete(key)) onForget(value as T);
  };
  return {
    get(key) {
      const value = kept.get(key);
      // While there is room for twice as many nothing will be forgotten soon, and the order may wait.
      if (value === undefined || kept.size < most / 2) return value;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set(key, value) {
      forget(key);
      kept.set(key, value);
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break;
        forget(oldest);
      }
      return value;
    },
    delete: forget,
    keys: () => kept.keys(),
    get size() {
      return kept.size;
    },
  };
};
