import type { Item, Table } from '../../kernel/ports.ts';
import { quotaKey } from '../../kernel/quota-keys.ts';
import type { ReservedCall } from '../../model/call-record.ts';
import { addSums, nothing, readLedger, type Sum, sumOf } from './ledger.ts';
import { readCounter } from './recount.ts';
import { type MonthUsage, readUsage } from './usage.ts';

/** A key's ledger of a month, with its stored usage and counter. */
export interface KeySums {
  readonly key_id: string;
  readonly ledger: {
    readonly ended: Sum;
    readonly tools: ReadonlyMap<string, Sum>;
    readonly reserved: readonly ReservedCall[];
    /** When its latest call was made, in milliseconds since 1970. */
    readonly latest: number;
  };
  readonly usage: Sum;
  readonly tools: ReadonlyMap<string, Sum>;
  /** Absent for a key without a quota; `unreadable` when it is corrupt. */
  readonly counter?: Sum | 'unreadable' | undefined;
}

export interface MonthSums {
  readonly rows: number;
  readonly keys: readonly KeySums[];
  /** Keys whose sums changed while the ledger was read. */
  readonly moving: readonly string[];
}

/**
 * Reads the stored sums of a month, its ledger, and the stored sums again: where both readings agree, the ledger
 * matches them in time. Counters are read for the keys of the usage and for those seen before.
 */
export const readMonthSums = async (
  table: Table,
  tenant: string,
  month: string,
  seen: readonly { readonly key_id: string }[] = [],
): Promise<MonthSums> => {
  const before = await readStored(table, tenant, month, seen);
  const ledger = new Map<string, Ledger>();
  let rows = 0;
  for await (const row of readLedger(table, tenant, month)) {
    rows++;
    const key = 'ended' in row ? row.ended.key : row.reserved.key;
    const of: Ledger = ledger.get(key) ?? { ended: nothing, tools: new Map(), reserved: [], latest: 0 };
    ledger.set(key, of);
    if ('reserved' in row) {
      of.reserved.push(row.reserved);
      continue;
    }
    const { tool, at } = row.ended;
    const sum = sumOf(row.ended);
    of.ended = addSums(of.ended, sum);
    if (sum.calls > 0) of.tools.set(tool, addSums(of.tools.get(tool) ?? nothing, sum));
    of.latest = Math.max(of.latest, Date.parse(at));
  }
  const names = new Set([...before.usage.keys(), ...ledger.keys()]);
  const after = await readStored(
    table,
    tenant,
    month,
    [...names].map((key_id) => ({ key_id })),
  );
  const keys = [...names].map((key_id): KeySums => {
    const { tools = new Map(), ...usage } = after.usage.get(key_id) ?? { ...nothing };
    return {
      key_id,
      ledger: ledger.get(key_id) ?? { ended: nothing, tools: new Map(), reserved: [], latest: 0 },
      usage,
      tools,
      counter: counterOf(after.counters.get(key_id)),
    };
  });
  return { rows, keys, moving: [...names].filter((key) => fingerprint(before, key) !== fingerprint(after, key)) };
};

interface Ledger {
  ended: Sum;
  readonly tools: Map<string, Sum>;
  readonly reserved: ReservedCall[];
  latest: number;
}

interface Stored {
  readonly usage: ReadonlyMap<string, Sum & { readonly tools?: ReadonlyMap<string, Sum> }>;
  readonly counters: ReadonlyMap<string, Item>;
}

const readStored = async (
  table: Table,
  tenant: string,
  month: string,
  seen: readonly { readonly key_id: string }[],
): Promise<Stored> => {
  const usage = byKey(await readUsage(table, tenant, month, () => true));
  const counters = new Map<string, Item>();
  for (const key of new Set([...usage.keys(), ...seen.map(({ key_id }) => key_id)])) {
    const item = await table.get(quotaKey(key, month));
    if (item) counters.set(key, item);
  }
  return { usage, counters };
};

const byKey = ({ keys }: MonthUsage): Stored['usage'] =>
  new Map(
    keys.map(({ key_id, calls, micros, tools }) => [
      key_id,
      { calls, micros, tools: new Map(tools.map((of) => [of.tool, { calls: of.calls, micros: of.micros }])) },
    ]),
  );

const fingerprint = ({ usage, counters }: Stored, key: string): string => {
  const { calls, micros } = usage.get(key) ?? nothing;
  return `${calls} ${micros} ${counters.get(key)?.revision ?? 0}`;
};

const counterOf = (item: Item | undefined): KeySums['counter'] => item && (readCounter(item) ?? 'unreadable');
