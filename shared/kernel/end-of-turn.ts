/** Yields to the event loop, between slices of long work. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Waits for the end of this turn of the event loop. All callers in one turn share a promise, so that they continue
 * together and can be batched.
 */
export const createEndOfTurn = (): (() => Promise<void>) => {
  let ending: Promise<void> | undefined;
  return () => {
    ending ??= new Promise((resolve) => {
      setImmediate(() => {
        ending = undefined;
        resolve();
      });
    });
    return ending;
  };
};
