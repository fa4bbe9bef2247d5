import * as z from 'zod';
import { type Fold, foldInto } from '../../insight/fold.ts';
import { totalsItems } from '../../insight/read-totals.ts';
import { ShardTotalsItem } from '../../insight/shard-totals.ts';
import { statsFold } from '../../insight/stats.ts';
import { usageKey, usagePk } from '../../kernel/item-keys.ts';
import type { Page, Table } from '../../kernel/ports.ts';
import { read, stored } from '../../kernel/stored.ts';
import { addSums, nothing, type Sum, sumOf } from './ledger.ts';
import { monthIn } from './month.ts';

/** A key's usage of a tool in a month. */
export const UsageItem = stored({
  what: 'usage',
  schema: z.object({ key: z.string(), tool: z.string(), calls: z.int(), micros: z.int() }),
  cure: 'restore it from a backup; the calls themselves are not affected',
});

/** The name of a key's monthly usage of a tool in sharded totals. */
export const usageName = (at: string, key: string, tool: string): string => `${monthIn(at)}#${key}#${tool}`;

/** Folds successful calls into a key's monthly usage of a tool. */
const usageFold = foldInto(UsageItem, {
  keyOf: (tenant, record) =>
    record.status === 'ok' ? usageKey(tenant, monthIn(record.at), record.key, record.tool) : undefined,
  add: (total, records) => {
    const { key = '', tool = '' } = records[0] ?? {};
    return { total: { key, tool, ...records.map(sumOf).reduce(addSums, total ?? nothing) } };
  },
});

export interface ToolUsage extends Sum {
  readonly tool: string;
  /** No price is set: the usage was not charged, but the tool is not declared free either. */
  readonly unpriced?: true;
}

export interface KeyUsage extends Sum {
  readonly key_id: string;
  readonly tools: readonly ToolUsage[];
}

export interface MonthUsage extends Sum {
  readonly month: string;
  readonly keys: readonly KeyUsage[];
}

/** A tenant's usage of a month, by key and tool. */
export const readUsage = async (
  table: Table,
  tenant: string,
  month: string,
  isPriced: (tool: string) => boolean,
): Promise<MonthUsage> => {
  const [compacted, streamed] = await Promise.all([storedUsage(table, tenant, month), totalsItems(table, tenant)]);
  const rows = new Map<string, UsageRow>();
  const add = (row: UsageRow): void => {
    const id = `${row.key}#${row.tool}`;
    rows.set(id, { ...row, ...addSums(rows.get(id) ?? nothing, row) });
  };
  for (const row of compacted) add(row);
  // Amounts are reported completely or not at all, so an unreadable item is an error here.
  for (const item of streamed)
    for (const [name, [calls, micros]] of Object.entries(read(item, ShardTotalsItem).usage)) {
      const [of, key = '', tool = ''] = name.split('#');
      if (of === month) add({ key, tool, calls, micros });
    }
  const byKey = Map.groupBy([...rows.values()].sort(byName), ({ key }) => key);
  const keys = [...byKey].map(
    ([key_id, used]): KeyUsage => ({
      key_id,
      ...used.reduce<Sum>(addSums, nothing),
      tools: used.map(({ tool, calls, micros }) => ({
        tool,
        calls,
        micros,
        unpriced: isPriced(tool) ? undefined : true,
      })),
    }),
  );
  return { month, ...keys.reduce<Sum>(addSums, nothing), keys };
};

interface UsageRow extends Sum {
  readonly key: string;
  readonly tool: string;
}

const byName = (a: UsageRow, b: UsageRow): number => (`${a.key}#${a.tool}` < `${b.key}#${b.tool}` ? -1 : 1);

const storedUsage = async (table: Table, tenant: string, month: string): Promise<readonly UsageRow[]> => {
  const rows: UsageRow[] = [];
  let after: string | undefined;
  do {
    const page: Page = await table.query(usagePk(tenant, month), { after });
    rows.push(...page.items.map((item) => read(item, UsageItem)));
    after = page.next;
  } while (after !== undefined);
  return rows;
};

/** One line per key and tool. */
export const usageCsv = ({ month, keys }: MonthUsage): string =>
  [
    'month,key_id,tool,calls,micros',
    ...keys.flatMap(({ key_id, tools }) =>
      tools.map(({ tool, calls, micros }) => `${month},${key_id},${tool},${calls},${micros}`),
    ),
  ]
    .join('\n')
    .concat('\n');

/** All aggregates over calls, the same with and without a stream. */
export const callFolds: readonly Fold[] = [statsFold, usageFold];

/** The same as JSON lines, for stores that import such files. */
export const usageJsonLines = ({ month, keys }: MonthUsage): string =>
  keys.flatMap(({ key_id, tools }) => tools.map((tool) => `${JSON.stringify({ month, key_id, ...tool })}\n`)).join('');
