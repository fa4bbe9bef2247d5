/** Posting lists of (document, value) pairs by term number, in one typed array; documents are added in order. */
export interface Postings {
  add(term: number, document: number, value: number): void;
  /** The offset of a term's posting list in `pairs()`; its pairs are contiguous. */
  start(term: number): number;
  length(term: number): number;
  pairs(): Uint32Array;
  /** The value of a term in a document; 0 if there is none. */
  value(term: number, document: number): number;
  /** A copy without removed documents (new number negative) and terms left empty; both are renumbered. */
  compacted(documents: Int32Array): { readonly postings: Postings; readonly terms: Int32Array };
}

export const createPostings = (): Postings => {
  let pool = new Uint32Array(1024);
  let used = 0;
  let starts = new Uint32Array(256);
  let lengths = new Uint32Array(256);
  let capacities = new Uint32Array(256);
  let terms = 0;

  const reserveTerm = (term: number): void => {
    terms = Math.max(terms, term + 1);
    starts = grown(starts, terms);
    lengths = grown(lengths, terms);
    capacities = grown(capacities, terms);
  };

  const widen = (term: number, length: number): void => {
    const capacity = length === 0 ? 1 : length * 2;
    const from = starts[term] ?? 0;
    const at = used;
    used += capacity * 2;
    pool = grown(pool, used);
    pool.copyWithin(at, from, from + length * 2);
    starts[term] = at;
    capacities[term] = capacity;
  };

  const add = (term: number, document: number, value: number): void => {
    if (term >= terms) reserveTerm(term);
    const length = lengths[term] ?? 0;
    if (length === capacities[term]) widen(term, length);
    const at = (starts[term] ?? 0) + length * 2;
    pool[at] = document;
    pool[at + 1] = value;
    lengths[term] = length + 1;
  };

  const value = (term: number, document: number): number => {
    const from = starts[term] ?? 0;
    let [low, high] = [0, lengths[term] ?? 0];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pool[from + middle * 2] as number) < document) low = middle + 1;
      else high = middle;
    }
    return low < (lengths[term] ?? 0) && pool[from + low * 2] === document ? (pool[from + low * 2 + 1] as number) : 0;
  };

  const compacted = (documents: Int32Array) => {
    const postings = createPostings();
    const renumbered = new Int32Array(terms).fill(-1);
    let next = 0;
    for (let term = 0; term < terms; term++) {
      const from = starts[term] ?? 0;
      for (let at = from; at < from + (lengths[term] ?? 0) * 2; at += 2) {
        const document = documents[pool[at] ?? 0] ?? -1;
        if (document < 0) continue;
        if (renumbered[term] === -1) renumbered[term] = next++;
        postings.add(next - 1, document, pool[at + 1] ?? 0);
      }
    }
    return { postings, terms: renumbered };
  };

  return {
    add,
    start: (term) => starts[term] ?? 0,
    length: (term) => lengths[term] ?? 0,
    pairs: () => pool,
    value,
    compacted,
  };
};

/** The array itself if it is long enough, otherwise a copy at least 1.5 times as long. */
export const grown = (array: Uint32Array<ArrayBuffer>, needed: number): Uint32Array<ArrayBuffer> => {
  if (needed <= array.length) return array;
  const larger = new Uint32Array(Math.max(needed, Math.ceil(array.length * 1.5)));
  larger.set(array);
  return larger;
};
