import * as z from 'zod';
import { messageOf } from '../kernel/errors.ts';
import { ACTIVE_UPLOADS_PK, activeUploadKey } from '../kernel/item-keys.ts';
import { BEAT_MS, Lease, takeLease } from '../kernel/lease.ts';
import { changeHeld, keepLease, type LeaseContext, newOwner, takeItem } from '../kernel/leased-item.ts';
import type { Log } from '../kernel/ports.ts';
import { put, stored } from '../kernel/stored.ts';
import { ObjectCreated } from './object-event.ts';

/** An event that was taken and not dealt with yet, with the lease of whoever is at it. */
const Delivery = z.object({ id: z.string(), event: ObjectCreated, lease: Lease.optional() });
type Delivery = Readonly<z.infer<typeof Delivery>>;

export const DeliveryItem = stored<Delivery>({ what: 'delivery of an upload', schema: Delivery });

export interface DeliveryContext extends LeaseContext {
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
}

/** Deals with an event to its end, failures included. `isLost` says that another process may have taken it over. */
export type Deal = (event: ObjectCreated, id: string, isLost: () => boolean) => Promise<void>;

export interface Deliveries {
  /** Resolves once the event is stored: from then on it is dealt with, by whichever process is there. */
  send(event: ObjectCreated): Promise<void>;
  /** Takes up what others left, as is done at the start and with every beat. */
  takeOver(): Promise<void>;
  /** Waits until everything under way here has been dealt with. */
  idle(): Promise<void>;
  /** Looks no more for what others left, and waits for what is under way. */
  close(): Promise<void>;
}

/** How many that others left are begun at a time: a server that starts must answer too. */
const MOST_AT_ONCE = 8;

/** What the queue does in the cloud, on the table: events outlive the process that took them. */
export const createDeliveries = (context: DeliveryContext, deal: Deal): Deliveries => {
  const { table, clock, timers, log, random } = context;
  const underway = new Map<string, Promise<void>>();
  let isMoreLeft = false;
  let isClosed = false;

  const work = async ({ id, event }: Delivery, lease: Lease): Promise<void> => {
    const item = { key: activeUploadKey(id), kind: DeliveryItem };
    const heartbeat = keepLease(context, item, lease);
    try {
      await deal(event, id, heartbeat.isLost);
      // What it stopped at for that is not dealt with, though nobody else may have taken it.
      if (heartbeat.isLost())
        return log.warn('upload left to be taken over', { delivery: id, error: 'its lease ran out' });
      await changeHeld(context, item, lease, () => [{ remove: item.key }]);
    } catch (thrown) {
      log.error('upload left to be taken over', { delivery: id, error: messageOf(thrown) });
    } finally {
      heartbeat.stop();
    }
  };
  const begin = (delivery: Delivery, lease: Lease): void => {
    const working = work(delivery, lease).finally(() => {
      underway.delete(delivery.id);
      if (isMoreLeft) look();
    });
    underway.set(delivery.id, working);
  };
  const takeOver = async (): Promise<void> => {
    const { items } = await table.query(ACTIVE_UPLOADS_PK);
    for (const { key } of items) {
      if (underway.has(key.sk)) continue;
      // The others follow as these end.
      isMoreLeft = underway.size >= MOST_AT_ONCE;
      if (isMoreLeft || isClosed) return;
      const taken = await takeItem(context, { key, kind: DeliveryItem }, newOwner(random));
      if (taken) begin(taken, taken.lease);
    }
  };
  const look = (): void =>
    void takeOver().catch((thrown: unknown) => log.warn('uploads not looked for', { error: messageOf(thrown) }));
  const stop = timers.every(BEAT_MS, look);
  look();

  const idle = async (): Promise<void> => {
    while (underway.size > 0) await Promise.all(underway.values());
  };
  return {
    async send(event) {
      const id = newOwner(random);
      const lease = takeLease(undefined, newOwner(random), clock.now());
      if (lease === undefined) return;
      const delivery = { id, event, lease };
      const key = activeUploadKey(id);
      await table.change([key], () => ({ writes: [put(key, DeliveryItem, delivery)], result: undefined }));
      begin(delivery, lease);
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
