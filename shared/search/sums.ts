/** A sum for each document, made of the best offer in each round, and emptied after use. */
export interface Sums {
  reserve(documents: number): void;
  /** Takes part in the present round; of several offers for one document the highest counts. */
  offer(document: number, value: number): void;
  /** Ends the round. */
  settle(): void;
  /** Hands out every sum above zero and starts anew. */
  drain(visit: (document: number, sum: number) => void): void;
}

export const createSums = (): Sums => {
  let totals = new Float64Array(0);
  let offers = new Float64Array(0);
  let found = new Uint32Array(0);
  let round = new Uint32Array(0);
  let foundCount = 0;
  let roundCount = 0;

  return {
    reserve: (documents) => {
      if (documents <= totals.length) return;
      totals = new Float64Array(documents * 2);
      offers = new Float64Array(documents * 2);
      found = new Uint32Array(documents * 2);
      round = new Uint32Array(documents * 2);
    },
    offer: (document, value) => {
      const best = offers[document] ?? 0;
      if (value <= 0) return;
      if (best === 0) round[roundCount++] = document;
      if (value > best) offers[document] = value;
    },
    settle: () => {
      for (let at = 0; at < roundCount; at++) {
        const document = round[at] ?? 0;
        const before = totals[document] ?? 0;
        if (before === 0) found[foundCount++] = document;
        totals[document] = before + (offers[document] ?? 0);
        offers[document] = 0;
      }
      roundCount = 0;
    },
    drain: (visit) => {
      for (let at = 0; at < foundCount; at++) {
        const document = found[at] ?? 0;
        visit(document, totals[document] ?? 0);
        totals[document] = 0;
      }
      foundCount = 0;
    },
  };
};
