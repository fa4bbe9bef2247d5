import { messageOf } from '../kernel/errors.ts';
import { createFairQueue } from '../kernel/fair-queue.ts';
import { ACTIVE_UPLOADS_PK, activeUploadKey } from '../kernel/item-keys.ts';
import { acquireLease, HEARTBEAT_MS, isLive, type Lease } from '../kernel/lease.ts';
import { acquireItem, changeWhileHeld, keepLease, type LeaseContext, newOwner } from '../kernel/leased-item.ts';
import type { Item, Log } from '../kernel/ports.ts';
import { isUnreadable, put, read } from '../kernel/stored.ts';
import { type Delivery, DeliveryItem, type ObjectCreated, tenantOfDelivery } from '../model/delivery.ts';

export interface DeliveryContext extends LeaseContext {
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
}

/** Handles an event completely, failures included. `isLost` tells whether another process may have taken it over. */
export type HandleDelivery = (event: ObjectCreated, id: string, isLost: () => boolean) => Promise<void>;

export interface Deliveries {
  /** Resolves once the event is stored; after that, some process will handle it. */
  send(event: ObjectCreated): Promise<void>;
  /** Takes over the events of other processes whose leases have expired; done at the start and with every heartbeat. */
  takeOver(): Promise<void>;
  /** Resolves when everything in progress here is done. */
  idle(): Promise<void>;
  /** Stops taking over events, and waits for those in progress. */
  close(): Promise<void>;
}

/** How many events a process handles at once, in all and per tenant; the others wait in the table, not in memory. */
const MAX_AT_ONCE = 8;
const MAX_OF_TENANT = 4;

/** How many entries of the table are read at a time, because the server must answer requests meanwhile. */
const LOOKED_AT_ONCE = 200;

interface Waiting {
  readonly id: string;
  readonly tenant: string;
}

/** A durable queue on the table, in place of the cloud's: events outlive the process that received them. */
export const createDeliveries = (context: DeliveryContext, deal: HandleDelivery): Deliveries => {
  const { table, clock, timers, log, random } = context;
  const underway = new Map<string, { readonly tenant: string; readonly working: Promise<void> }>();
  const queue = createFairQueue<Waiting>(Number.POSITIVE_INFINITY);
  const queued = new Set<string>();
  let isClosed = false;

  const work = async ({ id, event }: Delivery, lease: Lease): Promise<void> => {
    const item = { key: activeUploadKey(id), kind: DeliveryItem };
    const heartbeat = keepLease(context, item, lease);
    try {
      await deal(event, id, heartbeat.isLost);
      // The work may have stopped because the lease was lost, so the event is not finished, even if nobody has taken it
      // over.
      if (heartbeat.isLost())
        return log.warn('upload left to be taken over', { delivery: id, error: 'its lease ran out' });
      await changeWhileHeld(context, item, lease, () => [{ remove: item.key }]);
    } catch (thrown) {
      log.error('upload left to be taken over', { delivery: id, error: messageOf(thrown) });
    } finally {
      heartbeat.stop();
    }
  };
  const takeAndWork = async (id: string): Promise<void> => {
    const item = { key: activeUploadKey(id), kind: DeliveryItem };
    const taken = await acquireItem(context, item, newOwner(random));
    if (taken) await work(taken, taken.lease);
  };
  const begin = ({ id, tenant }: Waiting, begun: Promise<void>): void => {
    const working = begun
      .catch((thrown: unknown) => log.error('upload not taken over', { delivery: id, error: messageOf(thrown) }))
      .finally(() => {
        underway.delete(id);
        next();
      });
    underway.set(id, { tenant, working });
  };
  const hasRoom = (tenant: string): boolean =>
    !isClosed &&
    underway.size < MAX_AT_ONCE &&
    [...underway.values()].filter((each) => each.tenant === tenant).length < MAX_OF_TENANT;
  /** Starts pending events, tenants in turn. */
  const next = (): void => {
    for (let found = queue.take(hasRoom); found; found = queue.take(hasRoom)) {
      queued.delete(found.id);
      begin(found, takeAndWork(found.id));
    }
  };
  const enqueue = (waiting: Waiting): void => {
    queued.add(waiting.id);
    queue.push(waiting.tenant, waiting);
  };
  const takeOver = async (): Promise<void> => {
    let after: string | undefined;
    do {
      const page = await table.query(ACTIVE_UPLOADS_PK, { limit: LOOKED_AT_ONCE, after });
      for (const item of page.items) {
        const { sk: id } = item.key;
        if (underway.has(id) || queued.has(id)) continue;
        const free = readFree(item, clock.now(), log);
        if (free) enqueue({ id, tenant: tenantOfDelivery(free) });
      }
      next();
      after = page.next;
    } while (after !== undefined && !isClosed);
  };
  const look = (): void =>
    void takeOver().catch((thrown: unknown) =>
      log.warn('waiting uploads not taken over', { error: messageOf(thrown) }),
    );
  const stop = timers.every(HEARTBEAT_MS, look);
  look();

  const idle = async (): Promise<void> => {
    while (underway.size > 0) await Promise.all([...underway.values()].map(({ working }) => working));
  };
  return {
    async send(event) {
      const waiting = { id: newOwner(random), tenant: tenantOfDelivery({ event }) };
      const key = activeUploadKey(waiting.id);
      // An event that has to wait gets no lease, so that any process may take it.
      const lease = hasRoom(waiting.tenant) ? acquireLease(undefined, newOwner(random), clock.now()) : undefined;
      const delivery: Delivery = { id: waiting.id, event, lease };
      await table.change([key], () => ({ writes: [put(key, DeliveryItem, delivery)], result: undefined }));
      if (lease) return begin(waiting, work(delivery, lease));
      enqueue(waiting);
      next();
    },
    takeOver,
    idle,
    async close() {
      isClosed = true;
      stop();
      await idle();
    },
  };
};

/** A delivery that nobody holds. An unreadable one is left to a release that can read it, and does not block others. */
const readFree = (item: Item, now: number, log: Log): Delivery | undefined => {
  try {
    const delivery = read(item, DeliveryItem);
    return isLive(delivery.lease, now) ? undefined : delivery;
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    log.error('upload not taken over', { delivery: item.key.sk, error: thrown.message });
    return undefined;
  }
};
