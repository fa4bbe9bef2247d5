import { Fault } from '../kernel/errors.ts';
import { LIST_PREFIX, listKey, statsKey, toolsPk } from '../kernel/item-keys.ts';
import type { Item, Table } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import { unknownTool } from '../registry/change-tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import { readAllStats } from './read-stats.ts';
import type { StatsTotal } from './stats.ts';

export const LIST_KINDS = ['whitelist', 'blacklist'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** A tool that a person put on a list, or that its failures did. */
export interface ListEntry {
  readonly name: string;
  readonly source: 'manual' | 'automatic';
  readonly at: string;
  readonly reason?: string;
  readonly by?: string;
  /** On the whitelist: lower comes first. */
  readonly position?: number;
  /** On the automatic blacklist: which version, and when it may try again. */
  readonly version?: string;
  readonly trial_at?: string;
}

export interface Lists {
  /** In its own order: by position, then in the order they were added. */
  readonly whitelist: readonly ListEntry[];
  readonly blacklist: readonly ListEntry[];
}

/** Puts a tool on a list by hand; doing it again changes its reason or place. */
export const putOnList = async (
  context: RegistryContext,
  actor: Actor,
  kind: ListKind,
  name: string,
  about: { readonly reason?: string | undefined; readonly position?: number | undefined },
): Promise<ListEntry> => {
  const { catalog } = await context.catalogs.of(actor.tenant);
  if (!catalog.get(name)) throw unknownTool(name, catalog.names());
  const key = listKey(actor.tenant, kind, name);
  const now = new Date(context.clock.now()).toISOString();
  const place = context.clock.newId();
  return context.table.change([key], ([item]) => {
    const entry: ListEntry = {
      name,
      source: 'manual',
      at: String(item?.body.at ?? now),
      by: actor.keyId,
      reason: about.reason,
      position: about.position,
    };
    const added = item?.body.added ?? place;
    return { writes: [{ put: key, body: { v: 1, added, ...entry } }], result: entry };
  });
};

/** Takes a tool off a list; off the blacklist also where its failures put it. */
export const takeOffList = async (
  { table }: RegistryContext,
  actor: Actor,
  kind: ListKind,
  name: string,
): Promise<void> => {
  const key = listKey(actor.tenant, kind, name);
  await table.change([key], ([item]) => ({ writes: item ? [{ remove: key }] : [], result: undefined }));
  if (kind === 'whitelist') return;
  for (const { version, block } of await readAllStats(table, actor.tenant, name))
    if (block) await lift(table, actor.tenant, name, version);
};

const lift = (table: Table, tenant: string, name: string, version: string): Promise<void> => {
  const key = statsKey(tenant, name, version);
  return table.change([key], ([item]) => {
    const { block: _, ...rest } = (item?.body ?? {}) as unknown as StatsTotal;
    return { writes: item ? [{ put: key, body: { ...rest, failed_in_a_row: 0 } }] : [], result: undefined };
  });
};

/** What people put on the lists. */
export const readLists = async (table: Table, tenant: string): Promise<Lists> => {
  const { items } = await table.query(toolsPk(tenant), { prefix: LIST_PREFIX });
  const of = (kind: ListKind): readonly ListEntry[] =>
    items
      .filter(({ key }) => key.sk.startsWith(`${LIST_PREFIX}${kind}#`))
      .sort(byPlace)
      .map(({ body }) => {
        const { v: _, added: __, ...entry } = body;
        return entry as unknown as ListEntry;
      });
  return { whitelist: of('whitelist'), blacklist: of('blacklist') };
};

const byPlace = (a: Item, b: Item): number =>
  placeOf(a) - placeOf(b) || (String(a.body.added) < String(b.body.added) ? -1 : 1);

const placeOf = ({ body }: Item): number => Number(body.position ?? Number.MAX_SAFE_INTEGER);

/** What failures put on the blacklist. */
export const automaticEntries = (stats: readonly StatsTotal[]): readonly ListEntry[] =>
  stats.flatMap(({ tool, version, block }) =>
    block
      ? [{ name: tool, source: 'automatic', at: block.at, reason: block.reason, version, trial_at: block.trial_at }]
      : [],
  );

export const listKindOf = (text: string): ListKind => {
  const kind = LIST_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new Fault('NotFound', `no list named ${JSON.stringify(text)}; there are ${LIST_KINDS.join(' and ')}`);
};
