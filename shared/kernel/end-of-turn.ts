/**
 * Waits for the end of this turn of the event loop, everybody in it for the same one: what ends in one turn then goes
 * on together.
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
