import * as z from 'zod';
import { eventCountKey } from '../../kernel/item-keys.ts';
import type { Clock, Table } from '../../kernel/ports.ts';
import { quotaNoticeKey } from '../../kernel/quota-keys.ts';
import { put, stored } from '../../kernel/stored.ts';
import { appendIfReadable } from '../../registry/events.ts';
import type { MeteredCall, Quota } from '../meter.ts';
import { monthOf } from './month.ts';

const NEAR = 0.8;
const UNITS = ['calls', 'micros'] as const;

/** Marks that the event for a nearly used-up quota was published. */
export const QuotaNoticeItem = stored({ what: 'mark of a quota', schema: z.object({ at: z.iso.datetime() }) });

/** Whether at least 80 % of a quota is used. */
export const isNearEnd = (quota: number | undefined, left: number | undefined): boolean =>
  quota !== undefined && left !== undefined && quota - left >= NEAR * quota;

interface Counted {
  readonly used: Readonly<Record<string, number>>;
  readonly added: Readonly<Record<(typeof UNITS)[number], number>>;
  readonly expires: number;
}

/** Publishes one event a month for each limit of a key, when a call reaches 80 % of it. */
export const notifyNearEnd = async (
  { table, clock }: { readonly table: Table; readonly clock: Pick<Clock, 'now'> },
  call: MeteredCall,
  quota: Quota,
  { used, added, expires }: Counted,
): Promise<void> => {
  const { tenant, keyId, tool } = call;
  const month = monthOf(call.at);
  for (const unit of UNITS) {
    const limit = quota[unit];
    const [now, before] = [used[unit] ?? 0, (used[unit] ?? 0) - added[unit]];
    if (limit === undefined || now < NEAR * limit || before >= NEAR * limit) continue;
    const told = quotaNoticeKey(keyId, month, unit);
    const at = new Date(clock.now()).toISOString();
    const reason = `the key ${keyId} has used ${now} of ${limit} ${unit} of ${month}`;
    await table.change([told, eventCountKey(tenant)], ([known, count]) => {
      if (known) return { writes: [], result: undefined };
      const { writes } = appendIfReadable(tenant, count, [{ type: 'quota-near-end', at, tool, reason }]);
      return { writes: [...writes, put(told, QuotaNoticeItem, { at }, expires)], result: undefined };
    });
  }
};
