import {
  CHANGE_PREFIX,
  changeKey,
  eventCountKey,
  revisionKey,
  TOOL_PREFIX,
  toolKey,
  toolsPk,
} from '../kernel/item-keys.ts';
import type { Change, Item, Table, Write } from '../kernel/ports.ts';
import type { Family } from '../model/registration.ts';
import { placeEvents } from './events.ts';
import { eventsOfChange } from './family-events.ts';

/** Says what a family shall be, from what it is; undefined means absent, the family itself unchanged. */
export type FamilyRule<T> = (family: Family | undefined) => { readonly family: Family | undefined; readonly result: T };

export type FamiliesRule<T> = (families: ReadonlyMap<string, Family>) => {
  readonly families: ReadonlyMap<string, Family | undefined>;
  readonly result: T;
};

const FORMAT = 1;
const CHANGES_KEPT_SECONDS = 86_400;

/** Changes one family; the tenant's revision and the list of changes move in the same transaction. */
export const changeFamily = <T>(
  table: Table,
  tenant: string,
  name: string,
  now: number,
  rule: FamilyRule<T>,
): Promise<T> =>
  changeFamilies(table, tenant, [name], now, (families) => {
    const { family, result } = rule(families.get(name));
    return { families: new Map([[name, family]]), result };
  });

/** Changes several families under one revision, and tells what that means as events. */
export const changeFamilies = <T>(
  table: Table,
  tenant: string,
  names: readonly string[],
  now: number,
  rule: FamiliesRule<T>,
): Promise<T> => {
  const keys = [revisionKey(tenant), eventCountKey(tenant), ...names.map((name) => toolKey(tenant, name))];
  return table.change(keys, ([revisionItem, eventCount, ...items]): Change<T> => {
    const present = items.flatMap((item) => (item ? [familyOf(item)] : []));
    const stored = new Map(present.map((family) => [family.name, family]));
    const { families, result } = rule(stored);
    const changed = [...families].filter(([name, family]) => stored.get(name) !== family);
    if (changed.length === 0) return { writes: [], result };
    const revision = revisionOf(revisionItem) + 1;
    const writes: Write[] = changed.map(([name, family]) =>
      family ? { put: toolKey(tenant, name), body: { v: FORMAT, ...family } } : { remove: toolKey(tenant, name) },
    );
    writes.push(
      { put: revisionKey(tenant), body: { v: FORMAT, revision } },
      {
        put: changeKey(tenant, revision),
        body: { v: FORMAT, names: changed.map(([name]) => name) },
        expires: Math.floor(now / 1000) + CHANGES_KEPT_SECONDS,
      },
    );
    // A change holds 100 items: of many families each has one event, the first of what happened to it.
    const most = changed.length > 1 ? 1 : 50;
    const events = changed.flatMap(([name, family]) =>
      eventsOfChange(name, stored.get(name), family, now).slice(0, most),
    );
    writes.push(...placeEvents(tenant, eventCount, events));
    return { writes, result };
  });
};

export const readRevision = async (table: Table, tenant: string): Promise<number> =>
  revisionOf(await table.get(revisionKey(tenant)));

export const readFamily = async (table: Table, tenant: string, name: string): Promise<Family | undefined> => {
  const item = await table.get(toolKey(tenant, name));
  return item && familyOf(item);
};

export async function* readFamilies(table: Table, tenant: string): AsyncGenerator<Family> {
  let after: string | undefined;
  do {
    const page = await table.query(toolsPk(tenant), { prefix: TOOL_PREFIX, after });
    for (const item of page.items) yield familyOf(item);
    after = page.next;
  } while (after !== undefined);
}

/** The names changed since a revision, or undefined when the list does not reach that far back. */
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
  if (page.items.length < wanted) return undefined;
  return new Set(page.items.flatMap(({ body }) => body.names as readonly string[]));
};

const revisionOf = (item: Item | undefined): number => (item?.body.revision as number | undefined) ?? 0;

// Written by us alone, after checking: read back without checking again.
const familyOf = ({ body }: Item): Family => {
  const { v: _, ...family } = body;
  return family as unknown as Family;
};
