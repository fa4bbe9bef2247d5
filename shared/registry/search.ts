import type { Tool } from '../model/tool.ts';
import { FIELDS, fieldsOf } from './search-fields.ts';
import { createSearchStore, FIELD_COUNT, type SearchStore } from './search-store.ts';
import { termsOf } from './text.ts';

export interface Hit {
  readonly name: string;
  readonly score: number;
}

export interface SearchOptions {
  /** How many at most; all that match unless given. */
  readonly limit?: number;
  readonly accept?: (name: string) => boolean;
}

/** Ranked full-text search over tools, kept up to date by change and never rebuilt for a request. */
export interface SearchIndex {
  /** Adds a tool or replaces the one of its name; costs what the tool's own text costs. */
  set(tool: Tool): void;
  remove(name: string): void;
  search(query: string, options?: SearchOptions): readonly Hit[];
  /** As `search`, for terms that have been weighed already. */
  rank(terms: ReadonlyMap<string, number>, options?: SearchOptions): readonly Hit[];
  /** How telling a term is in this catalogue: its inverse document frequency. */
  rarity(term: string): number;
  readonly size: number;
}

/**
 * BM25F over FIELDS. A score depends on what the index holds, never on the order in which it came there,
 * so every process with the same catalogue gives the same answer.
 */
export const createSearchIndex = (): SearchIndex => {
  const store = createSearchStore();
  let scores = new Float64Array(0);
  let touched = new Uint32Array(0);

  const rank = (terms: ReadonlyMap<string, number>, options: SearchOptions = {}): readonly Hit[] => {
    const names = store.documents();
    if (scores.length < names.length) {
      scores = new Float64Array(names.length * 2);
      touched = new Uint32Array(names.length * 2);
    }
    const found = accumulate(store, terms, scores, touched);
    const hits: Hit[] = [];
    for (let at = 0; at < found; at++) {
      const document = touched[at] ?? 0;
      const score = scores[document] ?? 0;
      const name = names[document];
      scores[document] = 0;
      if (name !== undefined && score > 0) offer(hits, { name, score }, options);
    }
    return options.limit === undefined ? hits.sort(better) : hits;
  };

  return {
    set: (tool) => store.put(tool.name, fieldsOf(tool)),
    remove: store.remove,
    rank,
    search: (query, options) => rank(weighTerms(query), options),
    rarity: (term) => rarityOf(store, store.term(term)),
    get size() {
      return store.size;
    },
  };
};

/** How often each term is in a text: said twice counts a little more than once. */
const weighTerms = (text: string): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>();
  for (const term of termsOf(text)) {
    const known = weights.get(term);
    if (known !== undefined) weights.set(term, Math.min(known + 0.3, 2));
    else if (weights.size < TERM_LIMIT) weights.set(term, 1);
  }
  return weights;
};

const accumulate = (
  store: SearchStore,
  terms: ReadonlyMap<string, number>,
  scores: Float64Array,
  touched: Uint32Array,
): number => {
  const factors = FIELDS.map((field, index) => lengthFactor(field.norm, store.averageLength(index)));
  const lengths = store.lengths();
  const known = [...terms].flatMap(([word, weight]) => {
    const term = store.term(word);
    return term === undefined || store.frequency(term) === 0 ? [] : [{ term, weight }];
  });
  // Rare terms first: when a long text would read too much, the common ones that say least are left out.
  known.sort((one, other) => store.frequency(one.term) - store.frequency(other.term));
  let found = 0;
  let read = 0;
  for (const { term, weight } of known) {
    const { pairs, start, length } = store.postings(term);
    read += length;
    if (read > READ_LIMIT && found > 0) break;
    const rarity = weight * rarityOf(store, term);
    for (let at = start; at < start + length * 2; at += 2) {
      const document = pairs[at] ?? 0;
      const matched = matchOf(pairs[at + 1] ?? 0, document * FIELD_COUNT, lengths, factors);
      const before = scores[document] ?? 0;
      if (before === 0) touched[found++] = document;
      scores[document] = before + (rarity * matched * (SATURATION + 1)) / (matched + SATURATION);
    }
  }
  return found;
};

/** The weighted term frequency over all fields. */
const matchOf = (
  packed: number,
  at: number,
  lengths: Uint32Array,
  factors: readonly { readonly base: number; readonly slope: number }[],
): number => {
  let sum = 0;
  for (let field = 0, rest = packed; rest !== 0; field++, rest >>>= 8) {
    const count = rest & 255;
    if (count === 0) continue;
    const { base, slope } = factors[field] ?? NO_FACTOR;
    sum += ((FIELDS[field]?.weight ?? 0) * count) / (base + slope * (lengths[at + field] ?? 0));
  }
  return sum;
};

const lengthFactor = (norm: number, average: number) => ({ base: 1 - norm, slope: average > 0 ? norm / average : 0 });

const rarityOf = (store: SearchStore, term: number | undefined): number => {
  const frequency = term === undefined ? 0 : store.frequency(term);
  return Math.log(1 + (store.size - frequency + 0.5) / (frequency + 0.5));
};

/** Keeps the best `limit` in order by insertion: lists are short, and most hits are turned away at once. */
const offer = (hits: Hit[], hit: Hit, { limit, accept }: SearchOptions): void => {
  const worst = hits.at(-1);
  const full = limit !== undefined && hits.length >= limit;
  if (full && (worst === undefined || better(hit, worst) > 0)) return;
  if (accept !== undefined && !accept(hit.name)) return;
  hits.push(hit);
  if (limit === undefined) return;
  if (full) hits.splice(-2, 1);
  for (let at = hits.length - 1; at > 0; at--) {
    const above = hits[at - 1];
    if (above === undefined || better(hit, above) > 0) break;
    hits[at] = above;
    hits[at - 1] = hit;
  }
};

const better = (one: Hit, other: Hit): number =>
  other.score - one.score || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);

const NO_FACTOR = { base: 1, slope: 0 };
const SATURATION = 1.2;
const TERM_LIMIT = 512;
const READ_LIMIT = 2_000_000;
