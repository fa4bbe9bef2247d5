import { nextTurn } from '../kernel/end-of-turn.ts';
import type { Fault } from '../kernel/errors.ts';
import { TOOL_PREFIX, toolKey, toolsPk } from '../kernel/item-keys.ts';
import type { Item, Page, Table } from '../kernel/ports.ts';
import { isUnreadable, read, unreadable } from '../kernel/stored.ts';
import { type Family, FamilyItem } from '../model/registration.ts';
import { bytesOf } from './definition-bytes.ts';

/** A stored family that this release cannot read, with the error to report. */
export interface UnreadableFamily {
  readonly name: string;
  readonly fault: Fault;
  /** What it takes; 0 when not even its text can be read. */
  readonly bytes: number;
}

export const readFamily = async (
  table: Table,
  tenant: string,
  name: string,
): Promise<Family | UnreadableFamily | undefined> => {
  const item = await table.get(toolKey(tenant, name));
  return item && tryFamily(item);
};

/** What is read of a tenant's families in one turn of the event loop: all of them take up to half a second. */
const PAGE_BYTES = 2 ** 18;

/** All readable families of a tenant, by name. */
export async function* readFamilies(
  table: Table,
  tenant: string,
  turn: () => Promise<void> = nextTurn,
): AsyncGenerator<Family | UnreadableFamily> {
  for (let after: string | undefined; ; ) {
    const { items, next }: Page = await table.query(toolsPk(tenant), { prefix: TOOL_PREFIX, after, bytes: PAGE_BYTES });
    for (const item of items) yield tryFamily(item);
    if (next === undefined) return;
    after = next;
    await turn();
  }
}

/** The families of a tenant, by name; fails if one is unreadable. */
export async function* readableFamilies(
  table: Table,
  tenant: string,
  turn?: () => Promise<void>,
): AsyncGenerator<Family> {
  for await (const family of readFamilies(table, tenant, turn)) {
    if ('fault' in family) throw family.fault;
    yield family;
  }
}

/** All families of a tenant; fails if one is unreadable. */
export const requireFamilies = (table: Table, tenant: string): Promise<readonly Family[]> =>
  Array.fromAsync(readableFamilies(table, tenant));

export const parseFamily = (item: Item): Family => {
  const family = read(item, FamilyItem);
  if (family.name === readName(item)) return family;
  throw unreadable(item, FamilyItem, 'its name is not that of its key');
};

export const tryFamily = (item: Item): Family | UnreadableFamily => {
  try {
    return parseFamily(item);
  } catch (thrown) {
    if (isUnreadable(thrown)) return { name: readName(item), fault: thrown, bytes: bytesOfItem(item) };
    throw thrown;
  }
};

const bytesOfItem = ({ isDamaged, ...item }: Item): number => (isDamaged ? 0 : bytesOf({ ...item.body, v: undefined }));

const readName = ({ key }: Item): string => key.sk.slice(TOOL_PREFIX.length);
