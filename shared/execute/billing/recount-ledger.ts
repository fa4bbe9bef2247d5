import type { Clock, Log, Table } from '../../kernel/ports.ts';
import { differencesIn } from './differences.ts';
import { readMonthSums } from './month-sums.ts';
import { createRecount } from './recount.ts';

interface Context {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/** When to try again for keys with continuous calls. */
const LATER_MS = 10 * 60_000;

/**
 * Brings the quota counters of a month in line with its ledger, after a process that counted on them has died. Returns
 * when to repeat it, because calls of the dead process are left alone until their time is up; 0 when everything is
 * settled.
 */
export const recountLedger = async (context: Context, tenant: string, month: string): Promise<number> => {
  const { table, clock } = context;
  const recount = createRecount(context);
  // Read twice, because only keys seen before can be known to be unchanged.
  const { keys: seen } = await readMonthSums(table, tenant, month);
  const sums = await readMonthSums(table, tenant, month, seen);
  const now = clock.now();
  const differing = differencesIn(sums, now, table.streams).filter(({ what }) => what === 'quota');
  let due = 0;
  for (const { key_id, ledger, counter } of sums.keys) {
    if (counter === undefined) continue;
    for (const { until } of ledger.reserved) if (until > now) due = Math.max(due, until);
    if (!sums.moving.includes(key_id) && !differing.some((of) => of.key_id === key_id)) continue;
    const { isGivenUp } = await recount(tenant, key_id, month, { isForced: true });
    if (isGivenUp) due = Math.max(due, now + LATER_MS);
  }
  return due;
};
