import { nextTurn } from '../kernel/end-of-turn.ts';
import type { Clock, Log, Table } from '../kernel/ports.ts';
import type { Family } from '../model/registration.ts';
import type { RequestVectors } from '../search/request-vectors.ts';
import type { Hit, SearchIndex, SearchOptions } from '../search/search-index.ts';
import type { SentenceEncoder } from '../search/sentence-encoder.ts';
import { Catalog, type Layer } from './catalog.ts';
import { definitionLimit } from './definition-bytes.ts';
import { readAllFamilies, readChanges, readState } from './families.ts';
import { readFamily, type UnreadableFamily } from './read-families.ts';
import { createToolVectors, type ToolVectors } from './tool-vectors.ts';

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

export interface Catalogs {
  /** The tenant's catalogue, at most `freshMs` behind the store; synchronous when nothing needs reading. */
  of(tenant: string): TenantCatalog | Promise<TenantCatalog>;
  /** Invalidates after an own write: the next request reads the store. */
  changed(tenant: string): void;
  /** Replaces the read-only layer under all tenants. */
  setLayer(layer: Layer): void;
  /** Stops encoding tools, since the encoder and the table are about to be closed. */
  close(): void;
}

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly layer: Layer;
  /** How old an answer may be after another process's change. */
  readonly freshMs?: number;
  readonly maxTenants?: number;
  /** How many bytes of definitions are held for all tenants together. */
  readonly maxBytes?: number;
  /** Encodes tools in the background; without one they are ranked by words alone. */
  readonly encoder?: SentenceEncoder | undefined;
  readonly log?: Log | undefined;
}

type Follow = (tenant: string) => Following | undefined;

/** Computes a tenant's vectors and keeps them up to date. */
interface Following {
  readonly encoder: SentenceEncoder;
  vectors(index: SearchIndex, catalog: Catalog): ToolVectors;
}

const MAX_BEHIND = 100;
const READ_AFTER_MS = 500;
/** Of indexing, in one turn of the event loop. */
const SLICE_MS = 10;
/** The largest catalogues of four tenants. */
const MAX_BYTES = 4 * definitionLimit();
/** What a tool takes in memory beside its definition, measured on small ones: six times their text. */
const TOOL_BYTES = 2000;

export const createCatalogs = (options: Options): Catalogs => {
  const { table, clock, layer, freshMs = 100, maxTenants = 1000, maxBytes = MAX_BYTES } = options;
  let isClosing = false;
  const follow = createFollow(options, () => isClosing);
  let slots = new Map<string, Slot>();
  let currentLayer = layer;

  const look = (tenant: string, slot: Slot): Promise<TenantIndex> => {
    const { writes } = slot;
    const started = clock.now();
    const loading = (
      slot.held ? refresh(table, tenant, slot.held, currentLayer, follow) : load(table, tenant, currentLayer, follow)
    ).finally(() => {
      if (slot.loading === loading) slot.loading = undefined;
    });
    slot.loading = loading;
    return loading.then((held) => {
      slot.held = held;
      dropUnused(slots, slot, maxBytes);
      // A write during the read makes its result stale.
      if (slot.writes === writes) slot.checkedAt = started;
      return held;
    });
  };

  const of = (tenant: string): TenantIndex | Promise<TenantIndex> => {
    const slot = slots.get(tenant) ?? openSlot(slots, tenant, maxTenants);
    if (slot.held && clock.now() - slot.checkedAt < freshMs) return slot.held;
    return slot.loading ?? look(tenant, slot);
  };

  // New tools are encoded before anybody searches; those of several writes in a row, all at once.
  const soon = new Set<string>();
  const readSoon = (tenant: string): void => {
    if (options.encoder === undefined || soon.has(tenant)) return;
    soon.add(tenant);
    const read = async (): Promise<void> => {
      soon.delete(tenant);
      await (await of(tenant)).search();
    };
    setTimeout(() => void read().catch(() => undefined), READ_AFTER_MS).unref();
  };

  return {
    of,
    changed(tenant) {
      const slot = slots.get(tenant);
      if (!slot) return;
      slot.writes++;
      slot.checkedAt = Number.NEGATIVE_INFINITY;
      slot.loading = undefined;
      readSoon(tenant);
    },
    setLayer(next) {
      currentLayer = next;
      slots = new Map();
    },
    close() {
      isClosing = true;
    },
  };
};

interface Slot {
  held?: TenantIndex;
  checkedAt: number;
  loading: Promise<TenantIndex> | undefined;
  writes: number;
}

const openSlot = (slots: Map<string, Slot>, tenant: string, most: number): Slot => {
  const slot: Slot = { checkedAt: Number.NEGATIVE_INFINITY, loading: undefined, writes: 0 };
  slots.set(tenant, slot);
  for (const oldest of slots.keys()) {
    if (slots.size <= most) break;
    slots.delete(oldest);
  }
  return slot;
};

/** Drops the catalogues of tenants that have not asked for the longest time, until the rest fits. */
const dropUnused = (slots: Map<string, Slot>, current: Slot, most: number): void => {
  let bytes = 0;
  for (const { held } of slots.values()) bytes += held?.memory ?? 0;
  if (bytes <= most) return;
  for (const [tenant, slot] of [...slots].sort(([, a], [, b]) => a.checkedAt - b.checkedAt)) {
    if (bytes <= most) return;
    if (slot === current || !slot.held) continue;
    bytes -= slot.held.memory;
    slots.delete(tenant);
  }
};

const load = async (table: Table, tenant: string, layer: Layer, follow: Follow): Promise<TenantIndex> => {
  const { families, revision, bytes } = await readAllFamilies(table, tenant);
  return new TenantIndex(new Catalog(layer, families, revision), follow(tenant), bytes);
};

const refresh = async (
  table: Table,
  tenant: string,
  held: TenantIndex,
  layer: Layer,
  follow: Follow,
): Promise<TenantIndex> => {
  const known = held.catalog.revision;
  const { revision, bytes } = await readState(table, tenant);
  if (revision === known) return held;
  const near = revision > known && revision - known <= MAX_BEHIND;
  const names = near ? await readChanges(table, tenant, known, revision) : undefined;
  if (!names) return load(table, tenant, layer, follow);
  const families = await Promise.all(
    [...names].map(async (name) => [name, await readFamily(table, tenant, name)] as const),
  );
  held.apply(new Map(families), revision, bytes);
  return held;
};

const createFollow = ({ table, clock, log, encoder }: Options, isClosing: () => boolean): Follow => {
  if (encoder === undefined || log === undefined) return () => undefined;
  const create = createToolVectors({ table, clock, log, encoder, isClosing });
  return (tenant) => ({
    encoder,
    vectors: (index, catalog) => create(tenant, index, (name) => catalog.get(name)?.record.spec),
  });
};

class TenantIndex implements TenantCatalog {
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
    const names = [...this.catalog.names()];
    let since = performance.now();
    for (const name of names) {
      this.#reindex(index, name);
      if (performance.now() - since < SLICE_MS) continue;
      // Indexing a hundred thousand tools takes seconds, and one of 64 KB a millisecond.
      await nextTurn();
      since = performance.now();
    }
    this.#vectors = this.#following?.vectors(index, this.catalog);
    this.#vectors?.follow(this.catalog.names());
    return index;
  }

  #reindex(index: SearchIndex, name: string): void {
    const entry = this.catalog.get(name);
    if (entry) index.set(entry.record.spec);
    else index.remove(name);
  }
}
