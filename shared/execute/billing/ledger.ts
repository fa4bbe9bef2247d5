import { createEndOfTurn } from '../../kernel/end-of-turn.ts';
import { callHoursPk, callShards } from '../../kernel/item-keys.ts';
import type { Item, Table } from '../../kernel/ports.ts';
import { read } from '../../kernel/stored.ts';
import { CallItem, type CallRecord, isReserved, type ReservedCall, ReservedCallItem } from '../../model/call-record.ts';

export type LedgerRow = { readonly ended: CallRecord } | { readonly reserved: ReservedCall };

/** Each page is read in one turn; other requests run between pages. */
const PAGE = 200;

/** All calls of a month, from the items that are both record and ledger row; calls in flight have reserved rows. */
export async function* readLedger(table: Table, tenant: string, month: string): AsyncGenerator<LedgerRow> {
  for await (const hour of pages(table, callHoursPk(tenant), month))
    for (const shard of callShards(tenant, hour.key.sk))
      for await (const item of pages(table, shard)) yield readRow(item);
}

const readRow = (item: Item): LedgerRow =>
  isReserved(item) ? { reserved: read(item, ReservedCallItem) } : { ended: read(item, CallItem) };

async function* pages(table: Table, pk: string, prefix?: string) {
  const endOfTurn = createEndOfTurn();
  let after: string | undefined;
  do {
    const page = await table.query(pk, { prefix, after, limit: PAGE });
    yield* page.items;
    after = page.next;
    await endOfTurn();
  } while (after !== undefined);
}

export interface Sum {
  readonly calls: number;
  readonly micros: number;
}

export const nothing: Sum = { calls: 0, micros: 0 };
export const addSums = (a: Sum, b: Sum): Sum => ({ calls: a.calls + b.calls, micros: a.micros + b.micros });

/** The usage by a ledger row: only successful calls are charged. */
export const sumOf = (record: CallRecord): Sum =>
  record.status === 'ok' ? { calls: 1, micros: record.charged_micros } : nothing;

export const sumOfRow = (row: LedgerRow): Sum =>
  'ended' in row ? sumOf(row.ended) : { calls: 1, micros: row.reserved.micros };
