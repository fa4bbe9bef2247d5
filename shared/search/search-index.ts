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
  /** The most hits to return; all matches by default. */
  readonly limit?: number;
  readonly accept?: (name: string) => boolean;
  /** The encoder vectors of the query. */
  readonly vectors?: RequestVectors | undefined;
}

/** A query term and its near-synonyms, of which only the best match counts. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
  readonly alternatives?: readonly { readonly term: string; readonly factor: number }[];
}

/** Ranked full-text search over tools, updated incrementally and never rebuilt for a request. */
export interface SearchIndex {
  /** Adds a tool or replaces the one of the same name, in time proportional to the tool's own text. */
  set(tool: Tool): void;
  remove(name: string): void;
  /** The tools that match a text, ranked as decisions rank them. */
  search(query: string, options?: SearchOptions): readonly Hit[];
  /** Ranks by words alone, for a query whose terms already have weights. */
  rank(query: readonly QueryTerm[], options?: SearchOptions): readonly Hit[];
  /** The inverse document frequency of a term in this catalogue. */
  rarity(term: string): number;
  /** The encoder vectors of the tools; that of a changed tool is removed until it is encoded again. */
  readonly vectors: Vectors;
  /** Encodes a text; undefined unless every tool has been encoded, since the vectors would not be used. */
  encode(
    text: string,
    encode: (text: string) => Promise<Float32Array | undefined>,
  ): Promise<RequestVectors | undefined>;
  readonly size: number;
  /** Incremented by each change: what was computed for one revision is valid until the next. */
  readonly revision: number;
}

/**
 * BM25F over FIELDS. Scores depend only on what the index holds, not on the order of insertion,
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
