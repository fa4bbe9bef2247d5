import { nextTurn } from './next-turn.ts';

/** So many turns a small call takes from its request to its answer: one gets through between two large ones. */
const BETWEEN = 8;

/**
 * Gives each caller a turn of the event loop of its own, in the order of asking: work that takes tens of milliseconds
 * and arrives eight times at once would otherwise be one turn, in which nobody else is served.
 */
export const createOwnTurn = (): (() => Promise<void>) => {
  let last = Promise.resolve();
  return () => {
    last = last.then(letOthersGo);
    return last;
  };
};

const letOthersGo = async (): Promise<void> => {
  for (let turn = 0; turn < BETWEEN; turn++) await nextTurn();
};
