import * as z from 'zod';
import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import type { Fault } from '../kernel/errors.ts';
import { EVENT_PREFIX, eventCountKey, eventKey, eventsPk } from '../kernel/item-keys.ts';
import type { Item, Table, Write } from '../kernel/ports.ts';
import { isUnreadable, put, read, readAll, stored } from '../kernel/stored.ts';
import { currentTraceId } from '../kernel/trace.ts';
import type { Actor } from '../model/key.ts';

export const EVENT_TYPES = [
  'tool-registered',
  'tool-versioned',
  'tool-changed',
  'tool-enabled',
  'tool-disabled',
  'tool-removed',
  'tool-drifted',
  'tool-blacklisted',
  'tool-reinstated',
  'call-failed',
  'image-scored',
  'quota-near-end',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An event before it has a sequence number. */
const NewEvent = z.object({
  type: z.enum(EVENT_TYPES),
  at: z.iso.datetime(),
  tool: z.string(),
  version: z.string().optional(),
  call_id: z.string().optional(),
  reason: z.string().optional(),
  /** The trace of what caused it, where that is recorded. */
  trace_id: z.string().optional(),
});
export type NewEvent = Readonly<z.infer<typeof NewEvent>>;

/** An event with its sequence number: a reader that knows the last id it saw misses nothing. */
const ChangeEvent = NewEvent.extend({ id: z.string(), tenant: z.string() });
export type ChangeEvent = Readonly<z.infer<typeof ChangeEvent>>;

export const EventItem = stored<ChangeEvent>({ what: 'event', schema: ChangeEvent });

/** The id of the latest event. Release 0.1.0 wrote it without a format version. */
export const EventCountItem = stored({
  what: 'count of events',
  schema: z.object({ count: z.int() }),
  upgrades: { 0: (content) => content },
});

/** Publishes events to subscribers, such as a bus; fed by the table's stream. */
export type EventSink = (events: readonly ChangeEvent[]) => Promise<void>;

const RETENTION_SECONDS = 7 * 86_400;

/** The writes that append events to the sequence, within the change that causes them. */
export const appendEvents = (
  tenant: string,
  count: Item | undefined,
  events: readonly NewEvent[],
): readonly Write[] => {
  if (events.length === 0) return [];
  const before = readCount(count);
  const writes = events.map((event, at): Write => {
    const id = before + at + 1;
    const expires = Math.floor(Date.parse(event.at) / 1000) + RETENTION_SECONDS;
    return put(
      eventKey(tenant, id),
      EventItem,
      { id: String(id), tenant, trace_id: currentTraceId(), ...event },
      expires,
    );
  });
  return [...writes, put(eventCountKey(tenant), EventCountItem, { count: before + events.length })];
};

/** The same for call records, which are stored even when the sequence cannot be read. */
export const appendIfReadable = (
  tenant: string,
  count: Item | undefined,
  events: readonly NewEvent[],
): { readonly writes: readonly Write[]; readonly unreadable: readonly Fault[] } => {
  try {
    return { writes: appendEvents(tenant, count, events), unreadable: [] };
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    return { writes: [], unreadable: [thrown] };
  }
};

/** Events after an id, in order. */
export const readEvents = async (
  table: Table,
  tenant: string,
  after: number,
  limit: number,
): Promise<readonly ChangeEvent[]> => {
  const query = { prefix: EVENT_PREFIX, after: eventKey(tenant, after).sk, limit };
  const { items } = await table.query(eventsPk(tenant), query);
  const events = readAll(items, EventItem);
  const last = items.at(-1);
  // A page of unreadable events only is not the end.
  if (events.length > 0 || !last) return events;
  return readEvents(table, tenant, Number(last.key.sk.slice(EVENT_PREFIX.length)), limit);
};

/** The id of the latest event; 0 before the first. */
export const latestEvent = async (table: Table, tenant: string): Promise<number> =>
  readCount(await table.get(eventCountKey(tenant)));

const readCount = (item: Item | undefined): number => (item ? read(item, EventCountItem).count : 0);

export interface EventPage {
  readonly events: readonly ChangeEvent[];
  /** The id to continue after, whether or not the last event was visible. */
  readonly lastId: number;
}

/** The next events about tools that a key sees. */
export const eventsFor = async (
  { table }: { readonly table: Table },
  actor: Actor,
  after: number,
  limit: number,
): Promise<EventPage> => {
  requireScope(actor, 'read');
  const visible = visibleTools(actor);
  const events = await readEvents(table, actor.tenant, after, limit);
  return { events: events.filter(({ tool }) => visible.has(tool)), lastId: Number(events.at(-1)?.id ?? after) };
};
