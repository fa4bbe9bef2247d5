import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import type { Key, Table } from '../../shared/kernel/ports.ts';
import { startDynamo } from '../support/dynamo.ts';
import { printTable } from './report.ts';

const itemCount = 10_000;
const body = { name: 'blur', text: 'x'.repeat(1000) };
const one = { pk: 'ONE', sk: 'A' };

interface Opened {
  readonly table: Table;
  /** Few enough that a slow table does not delay the others. */
  readonly rounds: number;
  close(): Promise<void>;
}

/** The median time of the basic calls on each table. */
export async function bench(): Promise<void> {
  const tables = { memory: await openMemory(), SQLite: await openSqlite(), 'DynamoDB (local)': await openDynamo() };
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, { table }] of Object.entries(tables))
    rows[name] = { 'fill 10,000': await timeOf(() => fill(table)) };
  for (const [what, act] of Object.entries(acts))
    for (const [name, { table, rounds }] of Object.entries(tables))
      Object.assign(rows[name] ?? {}, {
        [what]: await medianOf(() => act(table), what.startsWith('query') ? 3 : rounds),
      });
  printTable(Object.entries(rows).map(([table, row]) => ({ table, ...row })));
  for (const { close } of Object.values(tables)) await close();
}

const acts: Readonly<Record<string, (table: Table) => Promise<unknown>>> = {
  get: (table) => table.get({ pk: 'MANY', sk: skOf(4321) }),
  'change of one': (table) => put(table, [one]),
  'change of three': (table) => put(table, [one, { ...one, sk: 'B' }, { ...one, sk: 'C' }]),
  count: (table) => table.count({ pk: 'ONE', sk: 'QUOTA' }, { calls: 1 }, { calls: 1e12 }),
  'page of 100': (table) => table.query('MANY', { limit: 100, after: skOf(5000) }),
  'query of 10,000': (table) => table.query('MANY'),
};

const skOf = (n: number): string => `TOOL#${String(n).padStart(6, '0')}`;

const put = (table: Table, keys: readonly Key[]) =>
  table.change(keys, () => ({ writes: keys.map((key) => ({ put: key, body })), result: undefined }));

const fill = (table: Table) =>
  table.write(Array.from({ length: itemCount }, (_, n) => ({ put: { pk: 'MANY', sk: skOf(n) }, body })));

async function timeOf(act: () => Promise<unknown>): Promise<string> {
  return shown(await measure(act));
}

async function medianOf(act: () => Promise<unknown>, rounds: number): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await measure(act));
  return shown(times.sort((a, b) => a - b)[rounds >> 1] ?? Number.NaN);
}

async function measure(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

const shown = (ms: number): string => (ms < 10 ? `${Math.round(ms * 1000)} µs` : `${Math.round(ms)} ms`);

async function openMemory(): Promise<Opened> {
  return { table: memoryTable(), rounds: 2000, close: async () => {} };
}

async function openSqlite(): Promise<Opened> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const table = sqliteTable({ path: join(directory, 'assay.db') });
  const close = async (): Promise<void> => {
    await table.close();
    await rm(directory, { recursive: true });
  };
  return { table, rounds: 2000, close };
}

async function openDynamo(): Promise<Opened> {
  const { call, tableName, stop } = await startDynamo();
  return { table: dynamoTable({ call, tableName }), rounds: 200, close: stop };
}
