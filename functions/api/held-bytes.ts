import { Fault } from '../../shared/kernel/errors.ts';

const RETRY_SECONDS = 5;

/** Counts the bytes of bodies that a tenant's requests hold in memory, from when they arrive until they are answered. */
export interface HeldBytes {
  /** Begins a request: `add` refuses what would be too much, `release` gives all of it back. */
  hold(tenant: string): { add(bytes: number): void; release(): void };
}

/** Bounds what a tenant's bodies hold in memory at a time. One alone may be as large as its route allows. */
export const createHeldBytes = (mostOfTenant: number): HeldBytes => {
  const held = new Map<string, number>();
  return {
    hold(tenant) {
      let own = 0;
      const add = (bytes: number): void => {
        const sum = held.get(tenant) ?? 0;
        if (sum > own && sum + bytes > mostOfTenant) throw tooMany(sum, mostOfTenant);
        own += bytes;
        held.set(tenant, sum + bytes);
      };
      const release = (): void => {
        const left = (held.get(tenant) ?? 0) - own;
        own = 0;
        if (left > 0) held.set(tenant, left);
        else held.delete(tenant);
      };
      return { add, release };
    },
  };
};

const tooMany = (sum: number, limit: number): Fault =>
  new Fault(
    'RateLimited',
    `requests of this tenant with bodies of ${sum} bytes are under way; at most ${limit} are taken at a time: state each length, and send this one again when others are done`,
    { limit, retry_after_seconds: RETRY_SECONDS },
  );
