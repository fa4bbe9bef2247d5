import { nextTurn } from '../kernel/end-of-turn.ts';
import type { Family } from '../model/registration.ts';
import type { RequestVectors } from '../search/request-vectors.ts';
import type { Hit, SearchIndex, SearchOptions } from '../search/search-index.ts';
import type { SentenceEncoder } from '../search/sentence-encoder.ts';
import type { Catalog } from './catalog.ts';
import type { UnreadableFamily } from './read-families.ts';
import type { ToolVectors } from './tool-vectors.ts';

/** One tenant's catalogue with its search index. */
export interface TenantCatalog {
  readonly catalog: Catalog;
  /** The search index: built on first use, in slices, and updated incrementally after that. */
  search(): Promise<SearchIndex>;
  /** The tools that match a text, ranked as in decisions, with the sentence encoder where there is one. */
  find(query: string, options?: SearchOptions): Promise<readonly Hit[]>;
  /** Encodes a text, once the encoder has read all tools. */
  encode(text: string): Promise<RequestVectors | undefined>;
}

/** Computes a tenant's vectors and keeps them up to date. */
export interface Following {
  readonly encoder: SentenceEncoder;
  vectors(index: SearchIndex, catalog: Catalog): ToolVectors;
}

/** Of definitions that are indexed in one turn of the event loop: about ten milliseconds. */
const SLICE_BYTES = 2 ** 19;
/** What a tool takes in memory beside its definition, measured on small ones: six times their text. */
const TOOL_BYTES = 2000;

export class TenantIndex implements TenantCatalog {
  readonly catalog: Catalog;
  /** What its definitions take, as far as they were counted. */
  bytes: number;
  #search: Promise<SearchIndex> | undefined;
  #index: SearchIndex | undefined;
  #vectors: ToolVectors | undefined;
  readonly #following: Following | undefined;

  constructor(catalog: Catalog, following: Following | undefined, bytes = 0) {
    this.catalog = catalog;
    this.bytes = bytes;
    this.#following = following;
  }

  async find(query: string, options: SearchOptions = {}): Promise<readonly Hit[]> {
    const index = await this.search();
    return index.search(query, { ...options, vectors: await this.encode(query) });
  }

  async encode(text: string): Promise<RequestVectors | undefined> {
    const encoder = this.#following?.encoder;
    if (encoder === undefined) return undefined;
    return (await this.search()).encode(text, (part) => encoder.encodeRequest(part));
  }

  get memory(): number {
    return this.bytes + TOOL_BYTES * this.catalog.own.size;
  }

  search(): Promise<SearchIndex> {
    this.#search ??= this.#build();
    return this.#search;
  }

  apply(changes: ReadonlyMap<string, Family | UnreadableFamily | undefined>, revision: number, bytes = 0): void {
    this.bytes = bytes;
    this.catalog.apply(changes, revision);
    if (this.#index) for (const name of changes.keys()) this.#reindex(this.#index, name);
    this.#vectors?.follow(changes.keys());
  }

  async #build(): Promise<SearchIndex> {
    // Imported here with its table of words: loaded by the first search, not at every start.
    const { createSearchIndex } = await import('../search/search-index.ts');
    const index = createSearchIndex();
    this.#index = index;
    let bytes = 0;
    for (const name of [...this.catalog.names()]) {
      bytes += this.#reindex(index, name);
      if (bytes < SLICE_BYTES) continue;
      // Indexing a hundred thousand tools takes seconds.
      await nextTurn();
      bytes = 0;
    }
    this.#vectors = this.#following?.vectors(index, this.catalog);
    this.#vectors?.follow(this.catalog.names());
    return index;
  }

  /** Returns the size of the text it read, and what any tool takes beside its text. */
  #reindex(index: SearchIndex, name: string): number {
    const entry = this.catalog.get(name);
    if (entry) index.set(entry.record.spec);
    else index.remove(name);
    return TOOL_BYTES + JSON.stringify(entry?.record.spec ?? '').length;
  }
}
