import { Fault } from '../../shared/kernel/errors.ts';

const RETRY_SECONDS = 5;

/** Counts the bytes of request bodies that a tenant has in memory, from their arrival to the answer. */
export interface BodyMemory {
  /** Starts a request: `add` refuses bytes beyond the limit, `release` returns all of them. */
  hold(tenant: string): { add(bytes: number): void; release(): void };
}

/** Limits the memory of a tenant's bodies at a time. A single body may be as large as its route allows. */
export const createBodyMemory = (maxOfTenant: number): BodyMemory => {
  const held = new Map<string, number>();
  return {
    hold(tenant) {
      let own = 0;
      const add = (bytes: number): void => {
        const sum = held.get(tenant) ?? 0;
        if (sum > own && sum + bytes > maxOfTenant) throw tooMany(sum, maxOfTenant);
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
