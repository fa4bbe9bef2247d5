import { usageKey } from '../../kernel/item-keys.ts';
import type { Clock, Table } from '../../kernel/ports.ts';
import { isNewer, isUnreadable, put, read } from '../../kernel/stored.ts';
import { isRecent } from './differences.ts';
import { nothing, type Sum } from './ledger.ts';
import type { MonthSums } from './month-sums.ts';
import { UsageItem } from './usage.ts';

/** Brings a key's usage of every tool in line with the ledger; returns whether anything changed. */
export const settleUsage = async (
  { table, clock }: { readonly table: Table; readonly clock: Pick<Clock, 'now'> },
  tenant: string,
  month: string,
  { keys }: MonthSums,
  keyId: string,
): Promise<boolean> => {
  const key = keys.find(({ key_id }) => key_id === keyId);
  if (!key || (table.streams && isRecent(key.ledger.latest, clock.now()))) return false;
  let isChanged = false;
  for (const tool of new Set([...key.tools.keys(), ...key.ledger.tools.keys()])) {
    const [wanted, known] = [key.ledger.tools.get(tool) ?? nothing, key.tools.get(tool) ?? nothing];
    if (wanted.calls === known.calls && wanted.micros === known.micros) continue;
    isChanged = (await addToUsage(table, tenant, month, { key: keyId, tool, wanted, known })) || isChanged;
  }
  return isChanged;
};

interface Correction {
  readonly key: string;
  readonly tool: string;
  readonly wanted: Sum;
  readonly known: Sum;
}

/**
 * Adds the missing usage; where calls are folded as they are stored, only if the total has not changed since it was
 * read.
 */
const addToUsage = (table: Table, tenant: string, month: string, correction: Correction): Promise<boolean> => {
  const { key, tool, wanted, known } = correction;
  const at = usageKey(tenant, month, key, tool);
  return table.change([at], ([item]) => {
    const stored = item && readUsageItem(item);
    const calls = (stored?.calls ?? 0) + wanted.calls - known.calls;
    const micros = (stored?.micros ?? 0) + wanted.micros - known.micros;
    const isSame = (stored?.calls ?? 0) === known.calls && (stored?.micros ?? 0) === known.micros;
    if (!table.streams && !isSame) return { writes: [], result: false };
    return { writes: [put(at, UsageItem, { key, tool, calls, micros })], result: true };
  });
};

/** A corrupt total is rebuilt; one written by a newer release is left alone. */
const readUsageItem = (item: Parameters<typeof read>[0]): Sum | undefined => {
  try {
    return read(item, UsageItem);
  } catch (thrown) {
    if (!isUnreadable(thrown) || isNewer(thrown)) throw thrown;
    return undefined;
  }
};
