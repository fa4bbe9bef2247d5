import * as z from 'zod';

/**
 * Who works on something, and until when others must leave it alone. The epoch grows with every owner. The item's
 * revision cannot replace it: a blind write resets that to 1, and a former owner could take itself for the present one.
 */
export const Lease = z.object({
  /** A random id for this piece of work: process ids are reused. */
  owner: z.string(),
  epoch: z.int().positive(),
  /** In milliseconds since 1970. */
  until: z.number(),
});
export type Lease = Readonly<z.infer<typeof Lease>>;

/** Tolerates clocks that differ by a minute, and one missed heartbeat. */
export const LEASE_MS = 90_000;
/** How often an owner renews its lease. */
export const HEARTBEAT_MS = 15_000;

/** Whether somebody holds the lease now. */
export const isLive = (lease: Lease | undefined, now: number): boolean => lease !== undefined && lease.until > now;

/** The lease of a new owner; undefined while another's is live. */
export const acquireLease = (known: Lease | undefined, owner: string, now: number): Lease | undefined =>
  isLive(known, now) ? undefined : { owner, epoch: (known?.epoch ?? 0) + 1, until: now + LEASE_MS };

/** Whether nobody has taken the lease over. */
export const isHeld = (known: Lease | undefined, held: Lease): boolean =>
  known?.owner === held.owner && known.epoch === held.epoch;

/** The renewed lease; undefined once it was taken over. One that expired but was not taken can still be renewed. */
export const renewLease = (known: Lease | undefined, held: Lease, now: number): Lease | undefined =>
  isHeld(known, held) ? { ...held, until: Math.max(known?.until ?? 0, now + LEASE_MS) } : undefined;

/** The released lease: it can be taken at once, and keeps its epoch. */
export const releaseLease = (held: Lease): Lease => ({ ...held, until: 0 });

/** Whole seconds until the lease expires, at least 1. */
export const secondsLeft = (lease: Lease, now: number): number => Math.max(1, Math.ceil((lease.until - now) / 1000));
