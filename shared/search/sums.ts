import { FIELD_COUNT } from './index-store.ts';

/** A posting list: alternating documents and packed field counts, `length` pairs from `start`. */
export interface TermPostings {
  readonly pairs: Uint32Array;
  readonly start: number;
  readonly length: number;
}

/** The saturated frequency of a term over all fields of a document: further occurrences add less and less. */
export const saturated = (gains: Float32Array, document: number, counts: number): number => {
  const gain = document * FIELD_COUNT;
  const matched =
    (counts & 255) * (gains[gain] as number) +
    ((counts >>> 8) & 255) * (gains[gain + 1] as number) +
    ((counts >>> 16) & 255) * (gains[gain + 2] as number) +
    (counts >>> 24) * (gains[gain + 3] as number);
  return (matched * (SATURATION + 1)) / (matched + SATURATION);
};
const SATURATION = 1.2;

/** Accumulates a score per document: each round adds the document's best offer. */
export interface Sums {
  reserve(documents: number): void;
  /** Offers a term's score for each of its documents in the current round; the highest offer counts. */
  offerTerm(postings: TermPostings, weight: number, gains: Float32Array): void;
  /** Ends the round and adds its best offers to the sums. */
  settle(): void;
  /** All documents with a sum above zero and their sums, as parallel arrays; overwritten by the next call. */
  found(): { readonly documents: Uint32Array; readonly scores: Float64Array };
  /** Resets all sums to zero. */
  clear(): void;
}

export const createSums = (): Sums => {
  // A document's total and offer are adjacent, which saves a cache miss when there are very many documents.
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
    offerTerm: ({ pairs, start, length }, weight, gains) => {
      const [offers, met] = [cells, round];
      let count = roundCount;
      for (let at = start, end = start + length * 2; at < end; at += 2) {
        const document = pairs[at] as number;
        const value = weight * saturated(gains, document, pairs[at + 1] as number);
        if (value <= 0) continue;
        const best = offers[document * 2 + 1] as number;
        if (best === 0) met[count++] = document;
        if (value > best) offers[document * 2 + 1] = value;
      }
      roundCount = count;
    },
    settle: () => {
      const [both, met, all] = [cells, round, found];
      let count = foundCount;
      for (let at = 0; at < roundCount; at++) {
        const document = met[at] as number;
        const before = both[document * 2] as number;
        if (before === 0) all[count++] = document;
        both[document * 2] = before + (both[document * 2 + 1] as number);
        both[document * 2 + 1] = 0;
      }
      foundCount = count;
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
