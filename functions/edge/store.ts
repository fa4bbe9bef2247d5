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

/** Reads a published file; undefined when there is none. */
export type ReadJson = <T>(key: string) => Promise<T | undefined>;

/** What is published, held in memory for as long as it may be old. */
export interface EdgeStore {
  readonly now: () => number;
  key(id: string): Promise<KnownKey | undefined>;
  /** The tenant's catalogue; undefined when it is not published or too large, so that the origin must answer. */
  catalog(tenant: string): Promise<Catalog | undefined>;
}

interface Options {
  readonly read: ReadJson;
  readonly now: () => number;
  /** With the time it takes to publish, a revoked key is refused within 60 seconds. */
  readonly keyMs?: number;
  readonly catalogMs?: number;
  readonly layerMs?: number;
}

interface HeldSnapshot {
  readonly catalog: Catalog | undefined;
  readonly file: string | undefined;
  readonly layer: Layer;
}

const MAX_KEYS = 10_000;
const MAX_TENANTS = 100;

export const createEdgeStore = ({
  read,
  now,
  keyMs = 20_000,
  catalogMs = 2000,
  layerMs = 30_000,
}: Options): EdgeStore => {
  const fresh = freshness(now);
  const keyOf = fresh<KnownKey | undefined>(keyMs, MAX_KEYS, async (id) => {
    const key = await read<PublishedKey>(keyFile(id));
    return key && knownKey(key);
  });
  const layerOf = fresh<NamedLayer | undefined>(layerMs, 1, (_, before) => readLayer(read, before));
  const heldOf = fresh<HeldSnapshot>(catalogMs, MAX_TENANTS, async (tenant, before) => {
    const [pointer, layer] = await Promise.all([read<Pointer>(tenantPointer(tenant)), layerOf('')]);
    if (pointer?.file === undefined || layer === undefined) return { catalog: undefined, file: undefined, layer: none };
    const { file, revision } = pointer;
    if (before?.file === file && before.layer === layer.families) return before;
    const own = pointer.content ?? (await read<PublishedFamilies>(file));
    // A pointer that is being replaced may name a file that is gone already.
    const catalog = own && new Catalog(layer.families, own.families, revision);
    return { catalog, file: own && file, layer: layer.families };
  });
  return {
    now,
    key: (id) => {
      // What all tenants share is fetched while it is not yet known whose key this is.
      layerOf('').catch(() => {});
      return keyOf(id);
    },
    catalog: async (tenant) => (await heldOf(tenant)).catalog,
  };
};

interface NamedLayer {
  readonly file: string;
  readonly families: Layer;
}

const none: Layer = new Map<string, Family>();

const readLayer = async (read: ReadJson, before: NamedLayer | undefined): Promise<NamedLayer | undefined> => {
  const file = (await read<Pointer>(layerPointer))?.file;
  if (file === undefined || file === before?.file) return before;
  const published = await read<PublishedFamilies>(file);
  return published && { file, families: new Map(published.families.map((family) => [family.name, family])) };
};

/** Functions that remember their answer for a while, and give it to whoever makes the next. */
const freshness =
  (now: () => number) =>
  <T>(ms: number, most: number, make: (name: string, before: T | undefined) => Promise<T>) => {
    const held = new Map<string, { readonly value: T; readonly at: number }>();
    const making = new Map<string, Promise<T>>();
    const renew = async (name: string, before: T | undefined): Promise<T> => {
      const at = now();
      const value = await make(name, before);
      held.delete(name);
      held.set(name, { value, at });
      const [oldest] = held.size > most ? held.keys() : [];
      if (oldest !== undefined) held.delete(oldest);
      return value;
    };
    return async (name: string): Promise<T> => {
      const known = held.get(name);
      if (known && now() - known.at < ms) return known.value;
      const made = making.get(name) ?? renew(name, known?.value).finally(() => making.delete(name));
      making.set(name, made);
      return made;
    };
  };
