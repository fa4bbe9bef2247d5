import type { Tool } from '../model/tool.ts';
import { FIELDS, fieldsOf } from './index-fields.ts';
import { createSearchStore } from './index-store.ts';
import { encodeRequest, type RequestVectors } from './request-vectors.ts';
import { searchTools } from './search-tools.ts';
import { createSums } from './sums.ts';
import { createVectors, type Vectors } from './vectors.ts';
import { rankByWords, rarityOf } from './word-ranking.ts';

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
  /** Another number after each change: what was computed for one revision holds as long as it lasts. */
  readonly revision: number;
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
  let revision = 0;

  const rank = (query: readonly QueryTerm[], options: SearchOptions = {}): readonly Hit[] =>
    rankByWords(store, sums, query, options);

  const index: SearchIndex = {
    set: (tool) => {
      revision++;
      if (tools.get(tool.name) !== tool) vectors.remove(tool.name);
      tools.set(tool.name, tool);
      store.put(tool.name, fieldsOf(tool));
    },
    remove: (name) => {
      revision++;
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
    get revision() {
      return revision;
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
    get revision() {
      return revision;
    },
  };
  return index;
};
