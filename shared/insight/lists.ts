import * as z from 'zod';
import { requireScope } from '../access/scopes.ts';
import { requireVisible, visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import { blockKey, LIST_PREFIX, listKey, statsKey, toolsPk } from '../kernel/item-keys.ts';
import type { Table, Write } from '../kernel/ports.ts';
import { put, read, stored } from '../kernel/stored.ts';
import type { Actor } from '../model/key.ts';
import { unknownTool } from '../registry/change-tool.ts';
import type { RegistryContext } from '../registry/context.ts';
import { BlockItem } from './block.ts';
import { forgetFailures } from './forget-failures.ts';
import { readAllStats } from './read-stats.ts';
import { StatsItem, type StatsTotal } from './stats.ts';

export const LIST_KINDS = ['whitelist', 'blacklist'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** A tool listed by a person, or blocked automatically after failures. */
const ListEntry = z.object({
  name: z.string(),
  source: z.enum(['manual', 'automatic']),
  at: z.iso.datetime(),
  reason: z.string().optional(),
  by: z.string().optional(),
  /** Whitelist only: lower comes first. */
  position: z.number().optional(),
  /** Automatic blacklist only: the version, and when it may try again. */
  version: z.string().optional(),
  trial_at: z.string().optional(),
});
export type ListEntry = Readonly<z.infer<typeof ListEntry>>;

/** An entry with a ULID, which orders entries without a position. */
export const ListItem = stored({
  what: 'list entry',
  schema: ListEntry.extend({ added: z.string() }),
  cure: 'take the tool off the list and put it there again',
});

export interface Lists {
  /** Orders by position, then by the time of adding. */
  readonly whitelist: readonly ListEntry[];
  readonly blacklist: readonly ListEntry[];
}

/** Puts a tool on a list manually; repeating it updates the reason or position. */
export const putOnList = async (
  context: RegistryContext,
  actor: Actor,
  kind: ListKind,
  name: string,
  about: { readonly reason?: string | undefined; readonly position?: number | undefined },
): Promise<ListEntry> => {
  requireScope(actor, 'write', 'tenant_admin');
  requireVisible(actor, name);
  const { catalog } = await context.catalogs.of(actor.tenant);
  if (!catalog.find(name)) throw unknownTool(name, catalog.names());
  const key = listKey(actor.tenant, kind, name);
  const now = new Date(context.clock.now()).toISOString();
  const place = context.clock.newId();
  return context.table.change([key], ([item]) => {
    const known = item && read(item, ListItem);
    const entry: ListEntry = {
      name,
      source: 'manual',
      at: known?.at ?? now,
      by: actor.keyId,
      reason: about.reason,
      position: about.position,
    };
    return { writes: [put(key, ListItem, { added: known?.added ?? place, ...entry })], result: entry };
  });
};

/** Takes a tool off a list, whether it was listed manually or blocked automatically. */
export const takeOffList = async (
  { table }: Pick<RegistryContext, 'table'>,
  actor: Actor,
  kind: ListKind,
  name: string,
): Promise<void> => {
  requireScope(actor, 'write', 'tenant_admin');
  requireVisible(actor, name);
  const key = listKey(actor.tenant, kind, name);
  await table.change([key], ([item]) => ({ writes: item ? [{ remove: key }] : [], result: undefined }));
  if (kind === 'whitelist') return;
  for (const { version, block } of await readAllStats(table, actor.tenant, name))
    if (block) {
      // First, so that a repeat finds the block again if this process ends between the two.
      await forgetFailures(table, actor.tenant, `${name}#${version}`);
      await lift(table, actor.tenant, name, version);
    }
};

/** Ends an automatic block, which is part of the statistics, or stored beside them where calls come from a stream. */
const lift = (table: Table, tenant: string, name: string, version: string): Promise<void> => {
  const keys = [statsKey(tenant, name, version), blockKey(tenant, name, version)] as const;
  return table.change(keys, ([item, decision]) => {
    const writes: Write[] = [];
    if (item) {
      const { block: _, ...rest } = read(item, StatsItem);
      writes.push(put(item.key, StatsItem, { ...rest, failed_in_a_row: 0 }));
    }
    if (decision) {
      const { block: _, ...rest } = read(decision, BlockItem);
      writes.push(put(decision.key, BlockItem, rest));
    }
    return { writes, result: undefined };
  });
};

/** The entries of a list, manual and automatic, that the key sees. */
export const listedTools = async (
  { table }: Pick<RegistryContext, 'table'>,
  actor: Actor,
  kind: ListKind,
): Promise<readonly ListEntry[]> => {
  requireScope(actor, 'read');
  const visible = visibleTools(actor);
  const { [kind]: manual } = await readLists(table, actor.tenant);
  const automatic = kind === 'blacklist' ? automaticEntries(await readAllStats(table, actor.tenant)) : [];
  return [...manual, ...automatic].filter(({ name }) => visible.has(name));
};

/** The manual entries. An unreadable one is an error: skipping it could bring back a blacklisted tool. */
export const readLists = async (table: Table, tenant: string): Promise<Lists> => {
  const { items } = await table.query(toolsPk(tenant), { prefix: LIST_PREFIX });
  const of = (kind: ListKind): readonly ListEntry[] =>
    items
      .filter(({ key }) => key.sk.startsWith(`${LIST_PREFIX}${kind}#`))
      .map((item) => read(item, ListItem))
      .sort(byPlace)
      .map(({ added: _, ...entry }) => entry);
  return { whitelist: of('whitelist'), blacklist: of('blacklist') };
};

type Placed = Pick<z.infer<typeof ListItem.schema>, 'position' | 'added'>;

const byPlace = (a: Placed, b: Placed): number => placeOf(a) - placeOf(b) || (a.added < b.added ? -1 : 1);

const placeOf = ({ position = Number.MAX_SAFE_INTEGER }: Placed): number => position;

/** The automatic entries of the blacklist. */
export const automaticEntries = (stats: readonly StatsTotal[]): readonly ListEntry[] =>
  stats.flatMap(({ tool, version, block }) =>
    block
      ? [{ name: tool, source: 'automatic', at: block.at, reason: block.reason, version, trial_at: block.trial_at }]
      : [],
  );

export const parseListKind = (text: string): ListKind => {
  const kind = LIST_KINDS.find((known) => known === text);
  if (kind) return kind;
  throw new Fault('NotFound', `no list named ${JSON.stringify(text)}; there are ${LIST_KINDS.join(' and ')}`);
};
