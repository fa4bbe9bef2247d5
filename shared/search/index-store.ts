import { createPostings, grown } from './postings.ts';

/** How many fields a document has; their term counts share one 32-bit posting value. */
export const FIELD_COUNT = 4;
const COUNT_LIMIT = 255;

/** An inverted index of named documents with FIELD_COUNT fields each, with the lengths that ranking needs. */
export interface SearchStore {
  readonly size: number;
  put(name: string, fields: readonly (readonly string[])[]): void;
  remove(name: string): void;
  /** The number of a term, undefined when no document has ever used it. */
  term(word: string): number | undefined;
  /** The document frequency of a term. */
  frequency(term: number): number;
  /** Documents are numbered from 0; a removed one keeps its number, without a name, until the next compaction. */
  documents(): readonly (string | undefined)[];
  /** Alternating documents and packed field counts; a term's posting list is `length` pairs from `start`. */
  postings(term: number): { readonly pairs: Uint32Array; readonly start: number; readonly length: number };
  /** The distinct terms of a document. */
  terms(document: number): Uint32Array;
  /** A term's packed field counts in a document; 0 if the document lacks it. */
  counts(term: number, document: number): number;
  /** The weight of one occurrence of a term, FIELD_COUNT values per document; lower in longer fields. */
  gains(): Float32Array;
}

/** The weight of a field and the strength of its length normalisation. */
export interface FieldRule {
  readonly weight: number;
  readonly norm: number;
}

export const createSearchStore = (rules: readonly FieldRule[]): SearchStore => {
  const numbers = new Map<string, number>();
  let words = new Map<string, number>();
  let names: (string | undefined)[] = [];
  let postings = createPostings();
  let frequencies = new Uint32Array(256);
  let lengths = new Uint32Array(256);
  // The forward index: the terms of each document in turn, which `remove` needs.
  let forward = new Uint32Array(1024);
  let ends = new Uint32Array(64);
  const totals = new Float64Array(FIELD_COUNT);
  let gains = new Float32Array(0);
  let gained: { readonly averages: readonly number[]; readonly documents: number } = NONE_GAINED;
  let isStale = true;

  const termNumber = (word: string): number => {
    const known = words.get(word);
    if (known !== undefined) return known;
    words.set(word, words.size);
    return words.size - 1;
  };

  const remove = (name: string): void => {
    const document = numbers.get(name);
    if (document === undefined) return;
    isStale = true;
    for (let at = ends[document - 1] ?? 0; at < (ends[document] ?? 0); at++) {
      const term = forward[at] ?? 0;
      frequencies[term] = (frequencies[term] ?? 1) - 1;
    }
    for (let field = 0; field < FIELD_COUNT; field++) {
      totals[field] = (totals[field] ?? 0) - (lengths[document * FIELD_COUNT + field] ?? 0);
    }
    numbers.delete(name);
    names[document] = undefined;
    if (names.length > 64 && numbers.size * 2 < names.length) compact();
  };

  const put = (name: string, fields: readonly (readonly string[])[]): void => {
    remove(name);
    isStale = true;
    const document = names.length;
    const counts = countTerms(fields, termNumber);
    let end = ends[document - 1] ?? 0;
    forward = grown(forward, end + counts.size);
    frequencies = grown(frequencies, words.size);
    for (const [term, count] of counts) {
      forward[end++] = term;
      frequencies[term] = (frequencies[term] ?? 0) + 1;
      postings.add(term, document, count);
    }
    ends = grown(ends, document + 1);
    ends[document] = end;
    lengths = grown(lengths, (document + 1) * FIELD_COUNT);
    for (const [field, terms] of fields.entries()) {
      lengths[document * FIELD_COUNT + field] = terms.length;
      totals[field] = (totals[field] ?? 0) + terms.length;
    }
    names.push(name);
    numbers.set(name, document);
  };

  const compact = (): void => {
    const kept = names.flatMap((name, document) => (name === undefined ? [] : [document]));
    const renumbered = new Int32Array(names.length).fill(-1);
    for (const [number, document] of kept.entries()) renumbered[document] = number;
    const smaller = postings.compacted(renumbered);
    let end = 0;
    for (const [number, document] of kept.entries()) {
      for (let at = ends[document - 1] ?? 0, to = ends[document] ?? 0; at < to; at++) {
        forward[end++] = smaller.terms[forward[at] ?? 0] ?? 0;
      }
      lengths.copyWithin(number * FIELD_COUNT, document * FIELD_COUNT, (document + 1) * FIELD_COUNT);
      numbers.set(names[document] ?? '', number);
      names[number] = names[document];
      // Written last: a new number never exceeds the old one, so no end is overwritten before it is read.
      ends[number] = end;
    }
    names = names.slice(0, kept.length);
    gained = NONE_GAINED;
    words = new Map([...words].flatMap(([word, term]) => live(word, smaller.terms[term])));
    postings = smaller.postings;
    frequencies = Uint32Array.from({ length: words.size }, (_, term) => postings.length(term));
  };

  // Average lengths are rounded to an eighth of an octave, so one changed tool rarely moves them and only new documents
  // need gains; when an average moves, all gains are recomputed. So gains depend only on what is stored.
  const currentGains = (): Float32Array => {
    if (!isStale) return gains;
    const averages = Array.from(totals, (total) => roundedAverage(total, numbers.size));
    const unmoved = averages.join() === gained.averages.join();
    gains = larger(gains, names.length * FIELD_COUNT);
    for (let at = unmoved ? gained.documents * FIELD_COUNT : 0; at < names.length * FIELD_COUNT; at++) {
      const { weight, norm } = rules[at % FIELD_COUNT] ?? NO_RULE;
      gains[at] = weight / (1 - norm + (norm * (lengths[at] ?? 0)) / (averages[at % FIELD_COUNT] || 1));
    }
    gained = { averages, documents: names.length };
    isStale = false;
    return gains;
  };

  return {
    get size() {
      return numbers.size;
    },
    put,
    remove,
    term: (word) => words.get(word),
    frequency: (term) => frequencies[term] ?? 0,
    documents: () => names,
    postings: (term) => ({ pairs: postings.pairs(), start: postings.start(term), length: postings.length(term) }),
    terms: (document) => forward.subarray(ends[document - 1] ?? 0, ends[document] ?? 0),
    counts: (term, document) => postings.value(term, document),
    gains: currentGains,
  };
};

const NONE_GAINED = { averages: [], documents: 0 };
const NO_RULE: FieldRule = { weight: 0, norm: 0 };

const roundedAverage = (total: number, size: number): number =>
  total === 0 || size === 0 ? 0 : 2 ** (Math.round(Math.log2(total / size) * 8) / 8);

const larger = (array: Float32Array<ArrayBuffer>, needed: number): Float32Array<ArrayBuffer> => {
  if (needed <= array.length) return array;
  const copy = new Float32Array(Math.ceil(needed * 1.5));
  copy.set(array);
  return copy;
};

const live = (word: string, term: number | undefined): [string, number][] =>
  term === undefined || term < 0 ? [] : [[word, term]];

/** Term number -> its count in each field, packed one byte each. */
const countTerms = (
  fields: readonly (readonly string[])[],
  termNumber: (word: string) => number,
): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const [field, terms] of fields.entries()) {
    const shift = field * 8;
    for (const word of terms) {
      const term = termNumber(word);
      const packed = counts.get(term) ?? 0;
      if (((packed >>> shift) & COUNT_LIMIT) < COUNT_LIMIT) counts.set(term, (packed + 2 ** shift) >>> 0);
    }
  }
  return counts;
};
