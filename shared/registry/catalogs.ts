import type { Clock, Log, Table } from '../kernel/ports.ts';
import type { SentenceEncoder } from '../search/sentence-encoder.ts';
import { Catalog, type Layer } from './catalog.ts';
import { definitionLimit } from './definition-bytes.ts';
import { dropUnused } from './drop-unused.ts';
import { readAllFamilies, readChanges, readState } from './families.ts';
import { readFamily } from './read-families.ts';
import { type Following, type TenantCatalog, TenantIndex } from './tenant-index.ts';
import { createToolVectors } from './tool-vectors.ts';

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

const MAX_BEHIND = 100;
const READ_AFTER_MS = 500;
/** The largest catalogues of four tenants. */
const MAX_BYTES = 4 * definitionLimit();

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
