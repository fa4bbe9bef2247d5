/** A sum for each document, made of the best offer in each round, and emptied after use. */
export interface Sums {
  reserve(documents: number): void;
  /** Takes part in the present round; of several offers for one document the highest counts. */
  offer(document: number, value: number): void;
  /** Ends the round. */
  settle(): void;
  /** Every document with a sum above zero, with that sum at the same place; overwritten by the next call. */
  found(): { readonly documents: Uint32Array; readonly scores: Float64Array };
  /** Starts anew. */
  clear(): void;
}

export const createSums = (): Sums => {
  // The total and the offer of a document lie side by side: among very many documents every other place is a wait.
  let cells = new Float64Array(0);
  let found = new Uint32Array(0);
  let round = new Uint32Array(0);
  let documents = new Uint32Array(0);
  let scores = new Float64Array(0);
  let foundCount = 0;
  let roundCount = 0;

  return {
    reserve: (count) => {
      if (count <= found.length) return;
      cells = new Float64Array(count * 4);
      found = new Uint32Array(count * 2);
      round = new Uint32Array(count * 2);
    },
    offer: (document, value) => {
      if (value <= 0) return;
      const best = cells[document * 2 + 1] as number;
      if (best === 0) round[roundCount++] = document;
      if (value > best) cells[document * 2 + 1] = value;
    },
    settle: () => {
      for (let at = 0; at < roundCount; at++) {
        const document = round[at] as number;
        const before = cells[document * 2] as number;
        if (before === 0) found[foundCount++] = document;
        cells[document * 2] = before + (cells[document * 2 + 1] as number);
        cells[document * 2 + 1] = 0;
      }
      roundCount = 0;
    },
    found: () => {
      if (scores.length < foundCount) {
        documents = new Uint32Array(foundCount * 2);
        scores = new Float64Array(foundCount * 2);
      }
      for (let at = 0; at < foundCount; at++) {
        const document = found[at] as number;
        documents[at] = document;
        scores[at] = cells[document * 2] as number;
      }
      return { documents: documents.subarray(0, foundCount), scores: scores.subarray(0, foundCount) };
    },
    clear: () => {
      for (let at = 0; at < foundCount; at++) cells[(found[at] as number) * 2] = 0;
      foundCount = 0;
    },
  };
};
