import type { Tool } from '../model/tool.ts';
import { FIELDS, fieldsOf } from './index-fields.ts';
import { createSearchStore, FIELD_COUNT, type SearchStore } from './index-store.ts';
import { encodeRequest, type RequestVectors } from './request-vectors.ts';
import { searchTools } from './search-tools.ts';
import { createSums, type Sums } from './sums.ts';
import { createVectors, type Vectors } from './vectors.ts';

export interface Hit {
  readonly name: string;
  readonly score: number;
}

export interface SearchOptions {
  /** How many at most; all that match unless given. */
  readonly limit?: number;
  readonly accept?: (name: string) => boolean;
  /** The query by the sentence encoder. */
  readonly vectors?: RequestVectors | undefined;
}

/** One thing asked for: a term, and others that mean nearly the same, of which the best match counts. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
  readonly alternatives?: readonly { readonly term: string; readonly factor: number }[];
}

/** Ranked full-text search over tools, kept up to date by change and never rebuilt for a request. */
export interface SearchIndex {
  /** Adds a tool or replaces the one of its name; costs what the tool's own text costs. */
  set(tool: Tool): void;
  remove(name: string): void;
  /** The tools that a text asks for, by the ranking of decisions. */
  search(query: string, options?: SearchOptions): readonly Hit[];
  /** By words alone, for a query that has been weighed already. */
  rank(query: readonly QueryTerm[], options?: SearchOptions): readonly Hit[];
  /** How telling a term is in this catalogue: its inverse document frequency. */
  rarity(term: string): number;
  /** What a sentence encoder made of the tools; one changes with its tool, and is set again later. */
  readonly vectors: Vectors;
  /** A text by the sentence encoder; undefined where that would not count, as when it has not read every tool. */
  encode(
    text: string,
    encode: (text: string) => Promise<Float32Array | undefined>,
  ): Promise<RequestVectors | undefined>;
  readonly size: number;
}

/**
 * BM25F over FIELDS. A score depends on what the index holds, never on the order in which it came there,
 * so every process with the same catalogue gives the same answer.
 */
export const createSearchIndex = (): SearchIndex => {
  const store = createSearchStore(FIELDS);
  const sums = createSums();
  const tools = new Map<string, Tool>();
  const vectors = createVectors();

  const rank = (query: readonly QueryTerm[], options: SearchOptions = {}): readonly Hit[] => {
    const names = store.documents();
    sums.reserve(names.length);
    accumulate(store, query, sums);
    const hits: Hit[] = [];
    sums.drain((document, score) => {
      const name = names[document];
      if (name !== undefined) offer(hits, name, score, options);
    });
    return options.limit === undefined ? hits.sort(better) : hits;
  };

  const index: SearchIndex = {
    set: (tool) => {
      if (tools.get(tool.name) !== tool) vectors.remove(tool.name);
      tools.set(tool.name, tool);
      store.put(tool.name, fieldsOf(tool));
    },
    remove: (name) => {
      vectors.remove(name);
      tools.delete(name);
      store.remove(name);
    },
    rank,
    search: (query, options) => searchTools(query, searched, options),
    rarity: (term) => rarityOf(store, store.term(term)),
    vectors,
    encode: async (text, encode) => (vectors.size >= store.size ? encodeRequest(text, encode) : undefined),
    get size() {
      return store.size;
    },
  };
  const searched = {
    rank,
    rarity: index.rarity,
    vectors,
    tool: (name: string) => tools.get(name),
    names: () => tools.keys(),
    get size() {
      return store.size;
    },
  };
  return index;
};

interface Reading {
  readonly term: number;
  readonly weight: number;
}

const accumulate = (store: SearchStore, query: readonly QueryTerm[], sums: Sums): void => {
  const gains = store.gains();
  const groups = query.map((asked) => readingsOf(store, asked)).filter(({ cost }) => cost > 0);
  // Rare terms first: when a long text would read too much, the common ones that say least are left out.
  groups.sort((one, other) => one.cost - other.cost);
  let read = 0;
  for (const { readings, cost } of groups) {
    read += cost;
    if (read > READ_LIMIT && read > cost) break;
    for (const { term, weight } of readings) {
      const { pairs, start, length } = store.postings(term);
      for (let at = start; at < start + length * 2; at += 2) {
        const document = pairs[at] ?? 0;
        let matched = 0;
        for (let gain = document * FIELD_COUNT, rest = pairs[at + 1] ?? 0; rest !== 0; gain++, rest >>>= 8) {
          matched += (rest & 255) * (gains[gain] ?? 0);
        }
        sums.offer(document, (weight * matched * (SATURATION + 1)) / (matched + SATURATION));
      }
    }
    sums.settle();
  }
};

/** The term itself and its alternatives, an alternative never worth more than the word that was said. */
const readingsOf = (store: SearchStore, { term, weight, alternatives = [] }: QueryTerm) => {
  const asked = store.term(term);
  const rarity = rarityOf(store, asked);
  const readings: Reading[] = [];
  let cost = 0;
  const add = (number: number | undefined, factor: number): void => {
    const frequency = number === undefined ? 0 : store.frequency(number);
    if (number === undefined || frequency === 0) return;
    cost += frequency;
    readings.push({ term: number, weight: weight * factor * Math.min(rarity, rarityOf(store, number)) });
  };
  add(asked, 1);
  for (const alternative of alternatives) add(store.term(alternative.term), alternative.factor);
  return { readings, cost };
};

const rarityOf = (store: SearchStore, term: number | undefined): number => {
  const frequency = term === undefined ? 0 : store.frequency(term);
  return Math.log(1 + (store.size - frequency + 0.5) / (frequency + 0.5));
};

/** Keeps the best `limit` in order by insertion: lists are short, and most hits are turned away at once. */
const offer = (hits: Hit[], name: string, score: number, { limit, accept }: SearchOptions): void => {
  const worst = hits.at(-1);
  const full = limit !== undefined && hits.length >= limit;
  if (full && (worst === undefined || score < worst.score)) return;
  const hit = { name, score };
  if (full && worst !== undefined && better(hit, worst) > 0) return;
  if (accept !== undefined && !accept(name)) return;
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

const SATURATION = 1.2;
const READ_LIMIT = 200_000;
