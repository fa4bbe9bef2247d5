import { nextTurn } from './next-turn.ts';

/**
 * Gives each caller a turn of the event loop of its own, in the order of asking: work that takes tens of milliseconds
 * and arrives eight times at once would otherwise be one turn, in which nobody else is served.
 */
export const createOwnTurn = (): (() => Promise<void>) => {
  let last = Promise.resolve();
  return () => {
    last = last.then(nextTurn);
    return last;
  };
};
