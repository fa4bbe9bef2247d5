import { contentOf } from '../kernel/item-content.ts';
import { EVENT_PREFIX, eventCountKey, eventKey, eventsPk } from '../kernel/item-keys.ts';
import type { Item, Table, Write } from '../kernel/ports.ts';

export const EVENT_TYPES = [
  'tool-registered',
  'tool-versioned',
  'tool-changed',
  'tool-enabled',
  'tool-disabled',
  'tool-removed',
  'tool-blacklisted',
  'tool-reinstated',
  'call-failed',
  'image-scored',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happened, before it has a place in the tenant's sequence. */
export interface NewEvent {
  readonly type: EventType;
  readonly at: string;
  readonly tool: string;
  readonly version?: string;
  readonly call_id?: string;
  readonly reason?: string;
}

/** An event with its place: a reader that knows the last id it saw misses nothing. */
export interface ChangeEvent extends NewEvent {
  readonly id: string;
  readonly tenant: string;
}

/** Hands events on to others, such as a bus with subscribers; the table's stream feeds it. */
export type EventSink = (events: readonly ChangeEvent[]) => Promise<void>;

const KEPT_SECONDS = 7 * 86_400;

/** What to write so that events follow those counted before, in the change that makes them happen. */
export const placeEvents = (tenant: string, count: Item | undefined, events: readonly NewEvent[]): readonly Write[] => {
  if (events.length === 0) return [];
  const before = Number(count?.body.count ?? 0);
  const writes = events.map((event, at): Write => {
    const id = before + at + 1;
    const expires = Math.floor(Date.parse(event.at) / 1000) + KEPT_SECONDS;
    return { put: eventKey(tenant, id), body: { v: 1, id: String(id), tenant, ...event }, expires };
  });
  return [...writes, { put: eventCountKey(tenant), body: { count: before + events.length } }];
};

/** Events after an id, in order. */
export const readEvents = async (
  table: Table,
  tenant: string,
  after: number,
  limit: number,
): Promise<readonly ChangeEvent[]> => {
  const query = { prefix: EVENT_PREFIX, after: eventKey(tenant, after).sk, limit };
  return (await table.query(eventsPk(tenant), query)).items.map(eventOf);
};

/** The id of the latest event; 0 before the first. */
export const latestEvent = async (table: Table, tenant: string): Promise<number> =>
  Number((await table.get(eventCountKey(tenant)))?.body.count ?? 0);

export const eventOf = (item: Item): ChangeEvent => contentOf(item);
