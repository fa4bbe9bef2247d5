import { EVENT_PREFIX, eventCountKey, eventKey, eventsPk } from '../keys.ts';
import type { Item, Log, Table, Write } from '../ports.ts';

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

/** Where events go besides the tenant's own list, such as a bus that delivers them to others. */
export type EventSink = (events: readonly ChangeEvent[]) => Promise<void>;

const KEPT_SECONDS = 7 * 86_400;

/** What to write so that events follow those counted before; for use within another change. */
export const placeEvents = (
  tenant: string,
  count: Item | undefined,
  events: readonly NewEvent[],
): { readonly writes: readonly Write[]; readonly placed: readonly ChangeEvent[] } => {
  if (events.length === 0) return { writes: [], placed: [] };
  const before = Number(count?.body.count ?? 0);
  const placed = events.map((event, at): ChangeEvent => ({ id: String(before + at + 1), tenant, ...event }));
  const writes = placed.map((event): Write => {
    const expires = Math.floor(Date.parse(event.at) / 1000) + KEPT_SECONDS;
    return { put: eventKey(tenant, Number(event.id)), body: { v: 1, ...event }, expires };
  });
  return { writes: [...writes, { put: eventCountKey(tenant), body: { count: before + events.length } }], placed };
};

/** The tenant's events as they happen. */
export interface Events {
  /** Stores events and hands them on. What happened has happened: a failure is logged, not thrown. */
  publish(tenant: string, events: readonly NewEvent[]): Promise<void>;
  /** Hands on events that were stored by another change, and wakes those who wait for them. */
  announce(events: readonly ChangeEvent[]): Promise<void>;
  /** Events after an id, in order. */
  read(tenant: string, after: number, limit: number): Promise<readonly ChangeEvent[]>;
  /** The id of the latest event. */
  latest(tenant: string): Promise<number>;
  /** Calls back when this process has stored an event of the tenant; the result stops it. */
  onEvent(tenant: string, listener: () => void): () => void;
}

export const createEvents = (table: Table, log: Log, sink?: EventSink): Events => {
  const listeners = new Map<string, Set<() => void>>();

  const announce = async (events: readonly ChangeEvent[]): Promise<void> => {
    for (const tenant of new Set(events.map((event) => event.tenant)))
      for (const listener of listeners.get(tenant) ?? []) listener();
    if (!sink || events.length === 0) return;
    await sink(events).catch((thrown: unknown) =>
      log.error('events not delivered', { events: events.length, error: String(thrown) }),
    );
  };

  return {
    announce,
    async publish(tenant, events) {
      try {
        const placed = await table.change([eventCountKey(tenant)], ([count]) => {
          const { writes, placed } = placeEvents(tenant, count, events);
          return { writes, result: placed };
        });
        await announce(placed);
      } catch (thrown) {
        log.error('events not stored', { tenant, types: events.map(({ type }) => type), error: String(thrown) });
      }
    },
    async read(tenant, after, limit) {
      const query = { prefix: EVENT_PREFIX, after: eventKey(tenant, after).sk, limit };
      const { items } = await table.query(eventsPk(tenant), query);
      return items.map(eventOf);
    },
    latest: async (tenant) => Number((await table.get(eventCountKey(tenant)))?.body.count ?? 0),
    onEvent(tenant, listener) {
      const all = listeners.get(tenant) ?? new Set();
      listeners.set(tenant, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0) listeners.delete(tenant);
      };
    },
  };
};

const eventOf = ({ body }: Item): ChangeEvent => {
  const { v: _, ...event } = body;
  return event as unknown as ChangeEvent;
};
