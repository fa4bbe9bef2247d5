import { messageOf } from './errors.ts';
import { acquireLease, HEARTBEAT_MS, isHeld, LEASE_MS, type Lease, renewLease } from './lease.ts';
import type { Clock, Key, Log, Table, Timers, Write } from './ports.ts';
import { put, read, type Stored } from './stored.ts';

export interface LeaseContext {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly log: Pick<Log, 'warn'>;
}

/** An item that carries the lease of the work it describes. */
export interface LeasedItem<T extends { readonly lease?: Lease }> {
  readonly key: Key;
  readonly kind: Stored<T>;
}

/** A random id for one piece of work: process ids are reused. */
export const newOwner = (random: (bytes: number) => Uint8Array): string => Buffer.from(random(12)).toString('hex');

/** Takes over an item whose lease has expired or was released; undefined when it is gone or somebody holds it. */
export const acquireItem = <T extends { readonly lease?: Lease }>(
  { table, clock }: Pick<LeaseContext, 'table' | 'clock'>,
  { key, kind }: LeasedItem<T>,
  owner: string,
): Promise<(T & { readonly lease: Lease }) | undefined> =>
  table.change([key], ([item]) => {
    const before = item && read(item, kind);
    const lease = before && acquireLease(before.lease, owner, clock.now());
    if (!before || !lease) return { writes: [], result: undefined };
    const taken = { ...before, lease };
    return { writes: [put(key, kind, taken, item.expires)], result: taken };
  });

/** Changes an item only while its lease is held; returns false, with nothing written, once it is lost. */
export const changeWhileHeld = <T extends { readonly lease?: Lease }>(
  { table }: Pick<LeaseContext, 'table'>,
  { key, kind }: LeasedItem<T>,
  held: Lease,
  rule: (content: T, expires: number | undefined) => readonly Write[],
): Promise<boolean> =>
  table.change([key], ([item]) => {
    const before = item && read(item, kind);
    if (!before || !isHeld(before.lease, held)) return { writes: [], result: false };
    return { writes: rule(before, item.expires), result: true };
  });

export interface Heartbeat {
  /**
   * Whether another process may own the item by now, so that the work here must have no further effect. It never
   * becomes false again, because work that was aborted cannot continue.
   */
  isLost(): boolean;
  stop(): void;
}

/** Renews a lease by heartbeats until it is stopped; one that fails is tried again with the next. */
export const keepLease = <T extends { readonly lease?: Lease }>(
  context: LeaseContext,
  item: LeasedItem<T>,
  held: Lease,
): Heartbeat => {
  const { clock, timers, log } = context;
  let { until } = held;
  let wasLost = false;
  // A process that was suspended for longer than its lease sees it by the clock, before it has read the item.
  const isLost = (): boolean => {
    wasLost ||= clock.now() >= until;
    return wasLost;
  };
  const beat = async (): Promise<void> => {
    if (isLost()) return stop();
    const renewed = clock.now();
    const isOurs = await changeWhileHeld(context, item, held, (content, expires) => {
      const lease = renewLease(content.lease, held, renewed);
      return lease === undefined ? [] : [put(item.key, item.kind, { ...content, lease }, expires)];
    });
    if (isOurs) until = Math.max(until, renewed + LEASE_MS);
    else wasLost = true;
  };
  const stop = timers.every(HEARTBEAT_MS, () => {
    beat().catch((thrown: unknown) => log.warn('lease not renewed', { item: item.key.pk, error: messageOf(thrown) }));
  });
  return { isLost, stop };
};
