import * as z from 'zod';
import { sha256 } from '../../kernel/canonical-json.ts';
import { usageArchiveKey } from '../../kernel/item-keys.ts';
import type { Clock, Table } from '../../kernel/ports.ts';
import { put, read, stored } from '../../kernel/stored.ts';
import type { Sum } from './ledger.ts';
import { monthStart } from './month.ts';
import { readUsage, usageCsv } from './usage.ts';
import type { Verification } from './verify-usage.ts';

/** The usage of a month when it was closed. */
export const UsageArchiveItem = stored({
  what: 'archived usage',
  schema: z.object({
    month: z.string(),
    calls: z.int(),
    micros: z.int(),
    archived_at: z.iso.datetime(),
    /** The checksum of the month's usage as CSV. */
    checksum: z.string(),
  }),
});

const RETENTION_MS = 40 * 86_400_000;

/** Whether the first rows of a month have expired, so that its ledger is incomplete. */
export const isClosed = (month: string, now: number): boolean => now >= monthStart(month) + RETENTION_MS;

/** Archives a closed month when it is first looked at; later, its usage must still have the same checksum. */
export const closeMonth = async (
  { table, clock }: { readonly table: Table; readonly clock: Pick<Clock, 'now'> },
  tenant: string,
  month: string,
): Promise<Verification> => {
  const usage = await readUsage(table, tenant, month, () => true);
  const checksum = sha256(usageCsv(usage));
  const key = usageArchiveKey(tenant, month);
  const archive = await table.change([key], ([item]) => {
    if (item) return { writes: [], result: read(item, UsageArchiveItem) };
    const { calls, micros } = usage;
    const made = { month, calls, micros, archived_at: new Date(clock.now()).toISOString(), checksum };
    return { writes: [put(key, UsageArchiveItem, made)], result: made };
  });
  const archived: Sum = { calls: archive.calls, micros: archive.micros };
  const difference = {
    key_id: '*',
    what: 'usage',
    ledger: archived,
    stored: { calls: usage.calls, micros: usage.micros },
    why: `the usage has changed since it was archived on ${archive.archived_at}: restore it from a backup`,
  } as const;
  return {
    month,
    rows: 0,
    ledger: archived,
    differences: archive.checksum === checksum ? [] : [difference],
    settled: [],
    closed: { archived_at: archive.archived_at, checksum: archive.checksum },
  };
};
