/** Serialises work that shares a key, so that one process does not contend with itself. */
export type KeyQueue = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

export function keyQueue(): KeyQueue {
  const last = new Map<string, Promise<void>>();
  return async (keys, work) => {
    const earlier = keys.map((key) => last.get(key));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    // All keys are queued at once, before anything is awaited, so there is no deadlock.
    for (const key of keys) last.set(key, ended);
    try {
      await Promise.all(earlier);
      return await work();
    } finally {
      for (const key of keys) if (last.get(key) === ended) last.delete(key);
      end();
    }
  };
}
