/**
 * Waits for the end of this turn of the event loop. Calls that end in one turn are answered one after the other, so
 * that neither this process nor the one that asked goes back and forth for each: twice the calls a second.
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
