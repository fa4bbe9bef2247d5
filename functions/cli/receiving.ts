import { Fault } from '../../shared/kernel/errors.ts';

/** Two pictures of the largest size. */
const MOST_OF_TENANT = 200 * 2 ** 20;
const RETRY_SECONDS = 5;

/** Does work that holds so many bytes of a body in memory meanwhile. */
export type WhileReceiving = <T>(tenant: string, bytes: number, work: () => Promise<T>) => Promise<T>;

/** Bounds what a tenant's uploads hold in memory at a time: each is whole before it is stored. */
export const createReceiving = (): WhileReceiving => {
  const held = new Map<string, number>();
  const add = (tenant: string, bytes: number): void => {
    const sum = (held.get(tenant) ?? 0) + bytes;
    if (sum > 0) held.set(tenant, sum);
    else held.delete(tenant);
  };
  return async (tenant, bytes, work) => {
    if (held.has(tenant) && (held.get(tenant) ?? 0) + bytes > MOST_OF_TENANT)
      throw new Fault(
        'RateLimited',
        `uploads of ${held.get(tenant)} bytes are under way; at most ${MOST_OF_TENANT} are taken at a time: state each length, and send this one again when others are done`,
        { limit: MOST_OF_TENANT, retry_after_seconds: RETRY_SECONDS },
      );
    add(tenant, bytes);
    try {
      return await work();
    } finally {
      add(tenant, -bytes);
    }
  };
};
