import * as z from 'zod';

/**
 * Who is at work on something, and until when others leave it to them. The epoch grows with every owner: a revision
 * would start again at 1 after a blind write, and could not tell a late owner that it is no longer the one.
 */
export const Lease = z.object({
  /** A random id, made for this piece of work: process ids are used again. */
  owner: z.string(),
  epoch: z.int().positive(),
  /** In milliseconds since 1970. */
  until: z.number(),
});
export type Lease = Readonly<z.infer<typeof Lease>>;

/** Long enough for clocks that differ by a minute and a beat that is missed. */
export const LEASE_MS = 90_000;
/** How often an owner says that it is still there. */
export const BEAT_MS = 15_000;

/** Whether somebody else is to be left alone with it. */
export const isLive = (lease: Lease | undefined, now: number): boolean => lease !== undefined && lease.until > now;

/** The lease of a new owner; undefined while another's is live. */
export const takeLease = (known: Lease | undefined, owner: string, now: number): Lease | undefined =>
  isLive(known, now) ? undefined : { owner, epoch: (known?.epoch ?? 0) + 1, until: now + LEASE_MS };

/** Whether nobody has taken it over since. */
export const isHeld = (known: Lease | undefined, held: Lease): boolean =>
  known?.owner === held.owner && known.epoch === held.epoch;

/** The lease with more time; undefined for whoever has lost it. One that ran out and was not taken goes on. */
export const renewLease = (known: Lease | undefined, held: Lease, now: number): Lease | undefined =>
  isHeld(known, held) ? { ...held, until: Math.max(known?.until ?? 0, now + LEASE_MS) } : undefined;

/** The lease given up: it can be taken at once, and its epoch is remembered. */
export const freeLease = (held: Lease): Lease => ({ ...held, until: 0 });

/** How long to leave its owner alone, in whole seconds. */
export const secondsLeft = (lease: Lease, now: number): number => Math.max(1, Math.ceil((lease.until - now) / 1000));
