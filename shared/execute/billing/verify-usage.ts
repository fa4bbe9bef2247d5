import { requireScope } from '../../access/scopes.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Clock, Log, Table } from '../../kernel/ports.ts';
import type { Actor } from '../../model/key.ts';
import { closeMonth, isClosed } from './closed-month.ts';
import { type Difference, differencesIn } from './differences.ts';
import { addSums, nothing, type Sum } from './ledger.ts';
import { readMonthSums } from './month-sums.ts';
import { createRecount } from './recount.ts';
import { settleUsage } from './settle-usage.ts';

export interface Verification {
  readonly month: string;
  readonly rows: number;
  readonly ledger: Sum;
  readonly differences: readonly Difference[];
  /** Keys whose quota counter or usage was corrected from the ledger. */
  readonly settled: readonly string[];
  /** Keys with continuous calls, so that they cannot be verified now. */
  readonly moving?: readonly string[];
  /** Set for a month whose rows have expired: its usage is archived and no longer changes. */
  readonly closed?: { readonly archived_at: string; readonly checksum: string };
}

interface VerifyContext {
  readonly table: Table;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Keys that change during a reading are read again, at most this often. */
const MAX_LOOKS = 3;

/** Compares the folded usage and the quota counters with the ledger; corrects them from it if asked. */
export const verifyUsage = async (
  context: VerifyContext,
  actor: Actor,
  month: string,
  settle: boolean,
): Promise<Verification> => {
  requireScope(actor, 'tenant_admin');
  const { table, clock } = context;
  const { tenant } = actor;
  if (isClosed(month, clock.now())) {
    if (settle) throw closedMonth(month);
    return closeMonth(context, tenant, month);
  }
  const settled = settle ? await settleMonth(context, tenant, month) : [];
  let sums = await readMonthSums(table, tenant, month);
  for (let looks = 1; looks < MAX_LOOKS && sums.moving.length > 0; looks++)
    sums = await readMonthSums(table, tenant, month, sums.keys);
  return {
    month,
    rows: sums.rows,
    ledger: sums.keys.map(({ ledger }) => ledger.ended).reduce(addSums, nothing),
    differences: differencesIn(sums, clock.now(), table.streams),
    settled,
    moving: sums.moving.length > 0 ? sums.moving : undefined,
  };
};

const settleMonth = async (context: VerifyContext, tenant: string, month: string): Promise<readonly string[]> => {
  const { table, clock } = context;
  const recount = createRecount(context);
  const settled = new Set<string>();
  for (let looks = 0, last: readonly { readonly key_id: string }[] = []; looks < MAX_LOOKS; looks++) {
    const sums = await readMonthSums(table, tenant, month, last);
    const differences = differencesIn(sums, clock.now(), table.streams);
    for (const { key_id, what } of differences) {
      const isDone =
        what === 'quota'
          ? (await recount(tenant, key_id, month, { isForced: true })).isChanged
          : await settleUsage(context, tenant, month, sums, key_id);
      if (isDone) settled.add(key_id);
    }
    if (differences.length === 0 && sums.moving.length === 0) break;
    last = sums.keys;
  }
  return [...settled];
};

const closedMonth = (month: string): Fault =>
  new Fault(
    'Conflict',
    `${month} is closed: rows of its ledger have expired after 40 days, so nothing can be settled from it; ` +
      'its usage is archived with a checksum',
    { month },
  );
