import { requireScope } from '../../access/scopes.ts';
import { quotaKey } from '../../kernel/item-keys.ts';
import type { Table } from '../../kernel/ports.ts';
import type { Actor } from '../../model/key.ts';
import { addSums, nothing, readLedger, type Sum, sumOf } from './ledger.ts';
import { readCounter, setCounter } from './recount.ts';
import { readUsage } from './usage.ts';

export interface Difference {
  readonly key_id: string;
  readonly what: 'usage' | 'quota';
  readonly ledger: Sum;
  readonly stored: Sum;
}

export interface Verification {
  readonly month: string;
  readonly rows: number;
  readonly ledger: Sum;
  readonly differences: readonly Difference[];
  /** Quota counters that were corrected from the ledger. */
  readonly settled: readonly string[];
}

/** Sums the ledger and compares it with the folded usage and the quota counters; corrects the counters if asked. */
export const verifyUsage = async (
  { table }: { readonly table: Table },
  actor: Actor,
  month: string,
  settle: boolean,
): Promise<Verification> => {
  requireScope(actor, 'tenant_admin');
  const { tenant } = actor;
  const ledger = new Map<string, Sum>();
  let rows = 0;
  for await (const record of readLedger(table, tenant, month)) {
    rows++;
    ledger.set(record.key, addSums(ledger.get(record.key) ?? nothing, sumOf(record)));
  }
  const usage = await readUsage(table, tenant, month, () => true);
  const folded = new Map(usage.keys.map(({ key_id, calls, micros }) => [key_id, { calls, micros }]));
  const differences: Difference[] = [];
  const settled: string[] = [];
  for (const key_id of new Set([...ledger.keys(), ...folded.keys()])) {
    const sum = ledger.get(key_id) ?? nothing;
    const counter = await table.get(quotaKey(key_id, month));
    const stored = (counter && readCounter(counter)) ?? nothing;
    if (counter && settle && (await setCounter(table, key_id, month, counter.revision, sum))) settled.push(key_id);
    else if (counter && !same(stored, sum)) differences.push({ key_id, what: 'quota', ledger: sum, stored });
    const used = folded.get(key_id) ?? nothing;
    if (!same(used, sum)) differences.push({ key_id, what: 'usage', ledger: sum, stored: used });
  }
  return { month, rows, ledger: [...ledger.values()].reduce(addSums, nothing), differences, settled };
};

const same = (a: Sum, b: Sum): boolean => a.calls === b.calls && a.micros === b.micros;
