import * as z from 'zod';
import { type Fold, foldInto } from '../../insight/fold.ts';
import { statsFold } from '../../insight/stats.ts';
import { usageKey, usagePk } from '../../kernel/item-keys.ts';
import type { Page, Table } from '../../kernel/ports.ts';
import { read, stored } from '../../kernel/stored.ts';
import { addSums, nothing, type Sum, sumOf } from './ledger.ts';
import { monthIn } from './month.ts';

/** What a key used of a tool in a month. */
export const UsageItem = stored({
  what: 'usage',
  schema: z.object({ key: z.string(), tool: z.string(), calls: z.int(), micros: z.int() }),
  cure: 'restore it from a backup; the calls themselves are not affected',
});

/** Folds successful calls into what a key used of a tool in a month. */
export const usageFold = foldInto(UsageItem, {
  keyOf: (tenant, record) =>
    record.status === 'ok' ? usageKey(tenant, monthIn(record.at), record.key, record.tool) : undefined,
  add: (total, records) => {
    const { key = '', tool = '' } = records[0] ?? {};
    return { total: { key, tool, ...records.map(sumOf).reduce(addSums, total ?? nothing) } };
  },
});

export interface ToolUsage extends Sum {
  readonly tool: string;
  /** Nobody has set a price for it: it was not charged, but it is not free either. */
  readonly unpriced?: true;
}

export interface KeyUsage extends Sum {
  readonly key_id: string;
  readonly tools: readonly ToolUsage[];
}

export interface Usage extends Sum {
  readonly month: string;
  readonly keys: readonly KeyUsage[];
}

/** What a tenant used in a month, by key and tool. */
export const readUsage = async (
  table: Table,
  tenant: string,
  month: string,
  isPriced: (tool: string) => boolean,
): Promise<Usage> => {
  const byKey = new Map<string, ToolUsage[]>();
  let after: string | undefined;
  do {
    const page: Page = await table.query(usagePk(tenant, month), after === undefined ? {} : { after });
    for (const item of page.items) {
      const { key, tool, calls, micros } = read(item, UsageItem);
      const row: ToolUsage = { tool, calls, micros, ...(isPriced(tool) ? {} : { unpriced: true }) };
      byKey.set(key, [...(byKey.get(key) ?? []), row]);
    }
    after = page.next;
  } while (after !== undefined);
  const keys = [...byKey].map(
    ([key_id, tools]): KeyUsage => ({ key_id, ...tools.reduce<Sum>(addSums, nothing), tools }),
  );
  return { month, ...keys.reduce<Sum>(addSums, nothing), keys };
};

/** A line for each key and tool. */
export const usageCsv = ({ month, keys }: Usage): string =>
  [
    'month,key_id,tool,calls,micros',
    ...keys.flatMap(({ key_id, tools }) =>
      tools.map(({ tool, calls, micros }) => `${month},${key_id},${tool},${calls},${micros}`),
    ),
  ]
    .join('\n')
    .concat('\n');

/** Every total that calls add up to, the same where they are folded at once and where a stream does it. */
export const callFolds: readonly Fold[] = [statsFold, usageFold];
