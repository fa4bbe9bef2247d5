import type { Clock, Table } from '../kernel/ports.ts';
import type { Family } from '../model/registration.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { Catalog, type Layer } from './catalog.ts';
import { readChanges, readFamilies, readFamily, readRevision, type UnreadableFamily } from './families.ts';

/** One tenant's catalogue with its search index. */
export interface TenantCatalog {
  readonly catalog: Catalog;
  /** Built on first use, in slices; updated incrementally after that. */
  search(): Promise<SearchIndex>;
}

export interface Catalogs {
  /** The tenant's catalogue, at most `freshMs` behind the store; synchronous when nothing needs reading. */
  of(tenant: string): TenantCatalog | Promise<TenantCatalog>;
  /** Invalidates after an own write: the next request reads the store. */
  changed(tenant: string): void;
  /** Replaces the read-only layer under all tenants. */
  setLayer(layer: Layer): void;
}

interface Options {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly layer: Layer;
  /** How stale an answer may be after another process's change. */
  readonly freshMs?: number;
  readonly maxTenants?: number;
}

const MAX_BEHIND = 100;

export const createCatalogs = ({ table, clock, layer, freshMs = 100, maxTenants = 1000 }: Options): Catalogs => {
  let slots = new Map<string, Slot>();
  let currentLayer = layer;

  const look = (tenant: string, slot: Slot): Promise<TenantIndex> => {
    const { writes } = slot;
    const started = clock.now();
    const loading = (
      slot.held ? refresh(table, tenant, slot.held, currentLayer) : load(table, tenant, currentLayer)
    ).finally(() => {
      if (slot.loading === loading) slot.loading = undefined;
    });
    slot.loading = loading;
    return loading.then((held) => {
      slot.held = held;
      // A write during the read makes its result stale.
      if (slot.writes === writes) slot.checkedAt = started;
      return held;
    });
  };

  return {
    of(tenant) {
      const slot = slots.get(tenant) ?? openSlot(slots, tenant, maxTenants);
      if (slot.held && clock.now() - slot.checkedAt < freshMs) return slot.held;
      return slot.loading ?? look(tenant, slot);
    },
    changed(tenant) {
      const slot = slots.get(tenant);
      if (!slot) return;
      slot.writes++;
      slot.checkedAt = Number.NEGATIVE_INFINITY;
      slot.loading = undefined;
    },
    setLayer(next) {
      currentLayer = next;
      slots = new Map();
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

const load = async (table: Table, tenant: string, layer: Layer): Promise<TenantIndex> => {
  // The revision is read first, so that everything read after it is at least that new.
  const revision = await readRevision(table, tenant);
  return new TenantIndex(new Catalog(layer, await Array.fromAsync(readFamilies(table, tenant)), revision));
};

const refresh = async (table: Table, tenant: string, held: TenantIndex, layer: Layer): Promise<TenantIndex> => {
  const known = held.catalog.revision;
  const revision = await readRevision(table, tenant);
  if (revision === known) return held;
  const near = revision > known && revision - known <= MAX_BEHIND;
  const names = near ? await readChanges(table, tenant, known, revision) : undefined;
  if (!names) return load(table, tenant, layer);
  const families = await Promise.all(
    [...names].map(async (name) => [name, await readFamily(table, tenant, name)] as const),
  );
  held.apply(new Map(families), revision);
  return held;
};

class TenantIndex implements TenantCatalog {
  readonly catalog: Catalog;
  #search: Promise<SearchIndex> | undefined;
  #index: SearchIndex | undefined;

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  search(): Promise<SearchIndex> {
    this.#search ??= this.#build();
    return this.#search;
  }

  apply(changes: ReadonlyMap<string, Family | UnreadableFamily | undefined>, revision: number): void {
    this.catalog.apply(changes, revision);
    if (this.#index) for (const name of changes.keys()) this.#reindex(this.#index, name);
  }

  async #build(): Promise<SearchIndex> {
    // With its table of words: loaded by the first search, not by every start.
    const { createSearchIndex } = await import('../search/search-index.ts');
    const index = createSearchIndex();
    this.#index = index;
    const names = [...this.catalog.names()];
    for (let done = 0; done < names.length; done++) {
      this.#reindex(index, names[done] ?? '');
      // Yields to other requests: indexing a hundred thousand tools takes seconds.
      if (done % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
    }
    return index;
  }

  #reindex(index: SearchIndex, name: string): void {
    const entry = this.catalog.get(name);
    if (entry) index.set(entry.record.spec);
    else index.remove(name);
  }
}
