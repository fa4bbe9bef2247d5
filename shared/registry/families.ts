import { CHANGE_PREFIX, changeKey, eventCountKey, revisionKey, toolKey, toolsPk } from '../kernel/item-keys.ts';
import type { Change, Item, Key, Table, Write } from '../kernel/ports.ts';
import { put, read, readAll } from '../kernel/stored.ts';
import { ChangeItem, type Family, FamilyItem, type Revision, RevisionItem } from '../model/registration.ts';
import { bytesOf, countDefinitions } from './definition-bytes.ts';
import { appendEvents } from './events.ts';
import { eventsOfChange } from './family-events.ts';
import { parseFamily, readFamilies, tryFamily, type UnreadableFamily } from './read-families.ts';

/** Computes a family's next state; undefined means absent, the same object means unchanged. */
export type FamilyRule<T> = (family: Family | undefined) => { readonly family: Family | undefined; readonly result: T };

export type FamiliesRule<T> = (families: ReadonlyMap<string, Family>) => {
  readonly families: ReadonlyMap<string, Family | undefined>;
  readonly result: T;
};

/** An item that must be unchanged for the change to be stored: the lease of whoever makes it. */
export interface Fence {
  readonly key: Key;
  /** Throws when it has changed. */
  check(item: Item | undefined): void;
}

/** Where a tenant's tools are stored, and how many bytes they may take. */
export interface FamilyStore {
  readonly table: Table;
  readonly definitionBytes?: number | undefined;
}

const CHANGES_KEPT_SECONDS = 86_400;

/** Changes one family; the tenant's revision and change list are updated in the same transaction. */
export const changeFamily = <T>(
  store: FamilyStore,
  tenant: string,
  name: string,
  now: number,
  rule: FamilyRule<T>,
): Promise<T> =>
  changeFamilies(store, tenant, [name], now, (families) => {
    const { family, result } = rule(families.get(name));
    return { families: new Map([[name, family]]), result };
  });

/** Changes several families under one revision, and appends the events. */
export const changeFamilies = <T>(
  { table, definitionBytes }: FamilyStore,
  tenant: string,
  names: readonly string[],
  now: number,
  rule: FamiliesRule<T>,
  fence?: Fence,
): Promise<T> => {
  const keys = [revisionKey(tenant), eventCountKey(tenant), ...names.map((name) => toolKey(tenant, name))];
  return table.change(fence ? [...keys, fence.key] : keys, ([revisionItem, eventCount, ...read]): Change<T> => {
    fence?.check(read[names.length]);
    const items = read.slice(0, names.length);
    const present = items.flatMap((item) => (item ? [parseFamily(item)] : []));
    const stored = new Map(present.map((family) => [family.name, family]));
    const { families, result } = rule(stored);
    const changed = [...families].filter(([name, family]) => stored.get(name) !== family);
    if (changed.length === 0) return { writes: [], result };
    const { revision, bytes = 0, counted } = revisionOf(revisionItem);
    const next: Revision = {
      revision: revision + 1,
      counted: revisionItem ? counted : true,
      bytes: countDefinitions(
        bytes,
        changed.map(([name, family]) => [stored.get(name), family] as const),
        definitionBytes,
      ),
    };
    const writes: Write[] = changed.map(([name, family]) =>
      family ? put(toolKey(tenant, name), FamilyItem, family) : { remove: toolKey(tenant, name) },
    );
    writes.push(
      ...noteChange(
        tenant,
        next,
        changed.map(([name]) => name),
        now,
      ),
    );
    // A transaction holds 100 items, so with many families each gets one event, its first.
    const most = changed.length > 1 ? 1 : 50;
    const events = changed.flatMap(([name, family]) =>
      eventsOfChange(name, stored.get(name), family, now).slice(0, most),
    );
    writes.push(...appendEvents(tenant, eventCount, events));
    return { writes, result };
  });
};

/** Removes a family even if it is unreadable. */
export const removeFamily = (table: Table, tenant: string, name: string, now: number): Promise<void> => {
  const keys = [revisionKey(tenant), eventCountKey(tenant), toolKey(tenant, name)];
  return table.change(keys, ([revisionItem, eventCount, item]) => {
    if (!item) return { writes: [], result: undefined };
    const event = { type: 'tool-removed', at: new Date(now).toISOString(), tool: name } as const;
    const { revision, bytes = 0 } = revisionOf(revisionItem);
    const family = tryFamily(item);
    // It may have been altered since it was counted, so the tools are counted again when they are next read.
    const left = Math.max(0, bytes - ('fault' in family ? family.bytes : bytesOf(family)));
    const writes = [
      { remove: item.key },
      ...noteChange(tenant, { revision: revision + 1, bytes: left }, [name], now),
      ...appendEvents(tenant, eventCount, [event]),
    ];
    return { writes, result: undefined };
  });
};

const noteChange = (tenant: string, next: Revision, names: readonly string[], now: number): readonly Write[] => [
  put(revisionKey(tenant), RevisionItem, next),
  put(
    changeKey(tenant, next.revision),
    ChangeItem,
    { names: [...names] },
    Math.floor(now / 1000) + CHANGES_KEPT_SECONDS,
  ),
];

/**
 * Counts all families of a revision, and stores the count unless they have changed since. Called by readers, which may
 * not be able to write: then the next reader tries again.
 */
export const recountFamilies = async (
  table: Table,
  tenant: string,
  revision: number,
  families: readonly (Family | UnreadableFamily)[],
): Promise<number> => {
  const bytes = families.reduce((sum, each) => sum + ('fault' in each ? each.bytes : bytesOf(each)), 0);
  await table
    .change([revisionKey(tenant)], ([item]) =>
      item && revisionOf(item).revision === revision
        ? { writes: [put(item.key, RevisionItem, { revision, bytes, counted: true })], result: undefined }
        : { writes: [], result: undefined },
    )
    .catch(() => undefined);
  return bytes;
};

/** All families of a tenant with their revision, counted if that is not done yet. */
export const readAllFamilies = async (table: Table, tenant: string) => {
  // The revision is read first, so that everything read after it is at least that new.
  const { revision, bytes, counted } = await readState(table, tenant);
  const families = await Array.fromAsync(readFamilies(table, tenant));
  const isCounted = revision === 0 || counted === true;
  return { revision, families, bytes: isCounted ? bytes : await recountFamilies(table, tenant, revision, families) };
};

/** The revision of a tenant's tools, and the bytes they take. */
export const readState = async (table: Table, tenant: string): Promise<Revision> =>
  revisionOf(await table.get(revisionKey(tenant)));

export const readRevision = async (table: Table, tenant: string): Promise<number> =>
  (await readState(table, tenant)).revision;

/** The names changed since a revision; undefined when the change list does not reach that far back. */
export const readChanges = async (
  table: Table,
  tenant: string,
  since: number,
  revision: number,
): Promise<ReadonlySet<string> | undefined> => {
  const wanted = revision - since;
  const page = await table.query(toolsPk(tenant), {
    prefix: CHANGE_PREFIX,
    after: changeKey(tenant, since).sk,
    limit: wanted,
  });
  const changes = readAll(page.items, ChangeItem);
  return changes.length < wanted ? undefined : new Set(changes.flatMap(({ names }) => names));
};

const revisionOf = (item: Item | undefined): Revision => (item ? read(item, RevisionItem) : { revision: 0 });
