import { callHoursPk, callShards } from '../../kernel/item-keys.ts';
import type { Table } from '../../kernel/ports.ts';
import { read } from '../../kernel/stored.ts';
import { CallItem, type CallRecord } from '../../model/call-record.ts';

/** Every call of a month, from the items that are both record and ledger row. */
export async function* readLedger(table: Table, tenant: string, month: string): AsyncGenerator<CallRecord> {
  for await (const hour of pages(table, callHoursPk(tenant), { prefix: month }))
    for (const shard of callShards(tenant, hour.key.sk))
      for await (const item of pages(table, shard, {})) yield read(item, CallItem);
}

async function* pages(table: Table, pk: string, query: { readonly prefix?: string; readonly after?: string }) {
  let { after } = query;
  do {
    const page = await table.query(pk, {
      prefix: query.prefix,
      ...(after === undefined || after === '' ? {} : { after }),
    });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

export interface Sum {
  readonly calls: number;
  readonly micros: number;
}

export const nothing: Sum = { calls: 0, micros: 0 };
export const addSums = (a: Sum, b: Sum): Sum => ({ calls: a.calls + b.calls, micros: a.micros + b.micros });

/** What a ledger row counts as: only successful calls are charged. */
export const sumOf = ({ status, charged_micros }: CallRecord): Sum =>
  status === 'ok' ? { calls: 1, micros: charged_micros } : nothing;
