/** Runs work one after the other where it shares a key, so that one process does not compete with itself. */
export type KeyQueue = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>;

export function keyQueue(): KeyQueue {
  const last = new Map<string, Promise<void>>();
  return async (keys, work) => {
    const earlier = keys.map((key) => last.get(key));
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    // All keys are taken at once, before anything is awaited: work never waits in a circle.
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
