import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { storageKey, storagePartition } from '../kernel/item-keys.ts';
import type { Clock, Table } from '../kernel/ports.ts';
import { read, stored } from '../kernel/stored.ts';

export interface StorageContext {
  readonly table: Table;
  readonly clock: Clock;
  /** How many bytes of pictures a tenant may store in 30 days. */
  readonly storageBytes?: number | undefined;
}

/** A tenant's stored bytes: counted per day once stored, and per quarter of an hour while only announced. */
export const StorageItem = stored<{ readonly bytes?: number | undefined }>({
  what: 'storage counter',
  version: 0,
  schema: z.object({ bytes: z.int().optional() }),
  cure: 'remove the item: its pictures are then not counted',
});

const DEFAULT_MB = 20_480;

/** The limit in bytes, from the setting in megabytes. */
export const storageLimit = (megabytes = DEFAULT_MB): number => megabytes * 2 ** 20;

/** How long pictures and their records are kept. */
export const RETENTION_SECONDS = 30 * 86_400;
/** How long an upload address is valid; an announced picture that never arrives stops counting soon after. */
export const UPLOAD_URL_SECONDS = 900;

/** Reserves space for an announced picture until its upload address expires. */
export const reserveStorage = (context: StorageContext, tenant: string, bytes: number): Promise<void> =>
  addBytes(context, tenant, reservation(context.clock.now()), bytes);

/** Counts a picture that is stored without an announcement. */
export const storeBytes = (context: StorageContext, tenant: string, bytes: number): Promise<void> =>
  addBytes(context, tenant, storing(context.clock.now()), bytes);

/** Counts the real size of a picture that arrived, in place of the reserved size. */
export const settleStorage = async (
  { table, clock }: StorageContext,
  tenant: string,
  announced: { readonly at: number; readonly bytes: number },
  bytes: number,
): Promise<void> => {
  const now = clock.now();
  const { name, expires } = storing(now);
  await table.count(storageKey(tenant, name), { bytes }, {}, expires);
  const reserved = reservation(announced.at);
  if (reserved.expires > now / 1000)
    await table.count(storageKey(tenant, reserved.name), { bytes: -announced.bytes }, {}, reserved.expires);
};

interface Counter {
  readonly name: string;
  readonly expires: number;
}

const storing = (now: number): Counter => ({
  name: `DAY#${new Date(now).toISOString().slice(0, 10)}`,
  expires: Math.floor(now / 1000) + RETENTION_SECONDS,
});

const reservation = (at: number): Counter => {
  const window = Math.floor(at / 1000 / UPLOAD_URL_SECONDS);
  return { name: `RESERVED#${window}`, expires: (window + 2) * UPLOAD_URL_SECONDS };
};

/** The limit is for the sum of all counters: this one may use what the others leave, which the table enforces. */
const addBytes = async (context: StorageContext, tenant: string, counter: Counter, bytes: number): Promise<void> => {
  const { table, clock, storageBytes: limit = storageLimit() } = context;
  const key = storageKey(tenant, counter.name);
  const others = await usedBytes(context, tenant, counter.name);
  if (await table.count(key, { bytes }, { bytes: limit - others }, counter.expires)) return;
  const used = await usedBytes(context, tenant);
  throw new Fault(
    'PaymentRequired',
    `the pictures of the last 30 days take ${used} of ${limit} bytes, which leaves no room for ${bytes} more; wait until older ones expire, announce the exact size, or ask the operator for more`,
    { limit, used, bytes, at: new Date(clock.now()).toISOString() },
  );
};

const usedBytes = async ({ table, clock }: StorageContext, tenant: string, except?: string): Promise<number> => {
  const now = clock.now() / 1000;
  const { items } = await table.query(storagePartition(tenant));
  return items
    .filter(({ key, expires }) => key.sk !== except && (expires ?? 0) > now)
    .reduce((sum, item) => sum + (read(item, StorageItem).bytes ?? 0), 0);
};
