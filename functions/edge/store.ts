import { type KnownKey, knownKey } from '../../shared/access/admit.ts';
import type { Family } from '../../shared/model/registration.ts';
import { Catalog, type Layer } from '../../shared/registry/catalog.ts';
import {
  keyFile,
  layerPointer,
  type Pointer,
  type PublishedFamilies,
  type PublishedKey,
  tenantPointer,
} from '../../shared/registry/published.ts';
import { type Currency, createCurrency } from './as-of.ts';

/** Reads a published file; undefined when there is none. */
export type ReadJson = <T>(key: string) => Promise<T | undefined>;

/** The published data, cached for as long as it may be used. */
export interface EdgeStore {
  readonly now: () => number;
  readonly currency: () => Promise<Currency>;
  key(id: string): Promise<KnownKey | undefined>;
  /** The tenant's catalogue; undefined when it is not published or too large, so that the origin must answer. */
  catalog(tenant: string): Promise<Catalog | undefined>;
}

interface Options {
  readonly read: ReadJson;
  readonly now: () => number;
  /**
   * The longest age of cached data, counted from the start of its reading. Nothing is renewed in the background,
   * because a function is frozen after its answer.
   */
  readonly keptMs?: number;
  /** The limit on cached published bytes; as objects they take about five times as much memory. */
  readonly maxBytes?: number;
}

interface HeldSnapshot {
  readonly catalog: Catalog | undefined;
  readonly file: string | undefined;
  readonly layer: Layer;
  readonly bytes: number;
}

const MAX_KEYS = 10_000;
const MAX_BYTES = 40 * 1024 * 1024;
/** The fixed weight of a tenant, which also stands for a file of unknown size. */
const TENANT_BYTES = 64 * 1024;

export const createEdgeStore = ({ read, now, keptMs = 20_000, maxBytes = MAX_BYTES }: Options): EdgeStore => {
  const fresh = freshness(now, keptMs);
  const keyOf = fresh<KnownKey | undefined>(MAX_KEYS, async (id) => {
    const key = await read<PublishedKey>(keyFile(id));
    return key && knownKey(key);
  });
  const layerOf = fresh<NamedLayer | undefined>(1, (_, before) => readLayer(read, before));
  const readHeld = async (tenant: string, before: HeldSnapshot | undefined): Promise<HeldSnapshot> => {
    const [pointer, layer] = await Promise.all([read<Pointer>(tenantPointer(tenant)), layerOf('')]);
    if (pointer?.file === undefined || layer === undefined) return nothing;
    const { file, revision } = pointer;
    if (before?.file === file && before.layer === layer.families) return before;
    const own = pointer.content ?? (await read<PublishedFamilies>(file));
    // A pointer that is being replaced may name a file that no longer exists.
    const catalog = own && new Catalog(layer.families, own.families, revision);
    const bytes = TENANT_BYTES + (pointer.bytes ?? 0);
    return { catalog, file: own && file, layer: layer.families, bytes };
  };
  const getHeld = fresh<HeldSnapshot>(maxBytes, readHeld, ({ bytes }) => bytes);
  return {
    now,
    currency: createCurrency(read, now),
    key(id) {
      // Everything outdated is fetched concurrently, so that it takes one round trip to the bucket.
      layerOf('').catch(() => {});
      const tenant = keyOf.before(id)?.key.tenant;
      if (tenant !== undefined) getHeld(tenant).catch(() => {});
      return keyOf(id);
    },
    catalog: async (tenant) => (await getHeld(tenant)).catalog,
  };
};

interface NamedLayer {
  readonly file: string;
  readonly families: Layer;
}

const nothing: HeldSnapshot = {
  catalog: undefined,
  file: undefined,
  layer: new Map<string, Family>(),
  bytes: TENANT_BYTES,
};

const readLayer = async (read: ReadJson, before: NamedLayer | undefined): Promise<NamedLayer | undefined> => {
  const file = (await read<Pointer>(layerPointer))?.file;
  if (file === undefined || file === before?.file) return before;
  const published = await read<PublishedFamilies>(file);
  return published && { file, families: new Map(published.families.map((family) => [family.name, family])) };
};

interface Fresh<T> {
  (name: string): Promise<T>;
  /** The last known value, however old. */
  before(name: string): T | undefined;
}

/** Functions that cache their results for a time, up to a total weight. */
const freshness =
  (now: () => number, ms: number) =>
  <T>(
    most: number,
    make: (name: string, before: T | undefined) => Promise<T>,
    weightOf: (value: T) => number = () => 1,
  ): Fresh<T> => {
    const held = new Map<string, { readonly value: T; readonly at: number; readonly weight: number }>();
    const making = new Map<string, Promise<T>>();
    let weight = 0;
    const forget = (name: string): void => {
      weight -= held.get(name)?.weight ?? 0;
      held.delete(name);
    };
    const renew = async (name: string, before: T | undefined): Promise<T> => {
      const at = now();
      const value = await make(name, before);
      forget(name);
      held.set(name, { value, at, weight: weightOf(value) });
      weight += weightOf(value);
      for (const oldest of held.keys()) {
        if (weight <= most) break;
        forget(oldest);
      }
      return value;
    };
    const answer = async (name: string): Promise<T> => {
      const known = held.get(name);
      if (known && now() - known.at < ms) return known.value;
      const made = making.get(name) ?? renew(name, known?.value).finally(() => making.delete(name));
      making.set(name, made);
      return made;
    };
    return Object.assign(answer, { before: (name: string) => held.get(name)?.value });
  };
