import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Key, Table } from '../../shared/kernel/ports.ts';
import type { TableAddress } from '../contract/table.ts';

/** The task of another process: to append ids to an item, a given number or, with a journal, until it is killed. */
export interface ClientTask {
  readonly address: TableAddress;
  readonly key: Key;
  readonly client: string;
  readonly changes?: number;
}

/** Appends ids to an item concurrently and returns those that were acknowledged. */
export function appendMany(table: Table, key: Key, client: string, changes: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: changes }, (_, n) => append(table, key, `${client}-${n}`)));
}

const append = (table: Table, key: Key, id: string): Promise<string> =>
  table.change([key], ([item]) => ({
    writes: [{ put: key, body: { ids: [...((item?.body.ids as string[] | undefined) ?? []), id] } }],
    result: id,
  }));

/** Appends one id with a journal entry, in three items that must always agree. */
const appendJournalled = (table: Table, key: Key, id: string): Promise<string> =>
  table.change([key, { pk: key.pk, sk: 'REVISION' }], ([item, revision]) => {
    const next = Number(revision?.body.n ?? 0) + 1;
    const ids = [...((item?.body.ids as string[] | undefined) ?? []), id];
    return {
      writes: [
        { put: { pk: key.pk, sk: `CHANGE#${String(next).padStart(6, '0')}` }, body: { id } },
        { put: { pk: key.pk, sk: 'REVISION' }, body: { n: next } },
        { put: key, body: { ids } },
      ],
      result: id,
    };
  });

/** Starts a separate process that works on the table; `ids` waits for its end. */
export function startTableClient(task: ClientTask) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const ended = once(child, 'close');
  const printed: string[] = [];
  lines.on('line', (line) => printed.push(line));
  return {
    /** Waits until it has reported this many ids. */
    async acknowledged(count: number): Promise<void> {
      while (printed.length < count) await Promise.race([once(lines, 'line'), ended.then(() => Promise.reject(early))]);
    },
    kill: () => child.kill('SIGKILL'),
    /** The ids that it had reported when it ended. */
    async ids(): Promise<readonly string[]> {
      await ended;
      return printed;
    },
  };
}

const early = new Error('the process ended before it had acknowledged enough');

if (process.argv[1] === fileURLToPath(import.meta.url)) await work(JSON.parse(process.argv[2] ?? '{}'));

async function work({ address, key, client, changes }: ClientTask): Promise<void> {
  const table = await openTable(address);
  if (changes !== undefined) for (const id of await appendMany(table, key, client, changes)) console.log(id);
  else for (let n = 0; ; n++) console.log(await appendJournalled(table, key, `${client}-${n}`));
  await table.close();
}

export async function openTable(address: TableAddress): Promise<Table> {
  if (address.kind === 'sqlite') {
    const { sqliteTable } = await import('../../shared/adapters/sqlite/table.ts');
    return sqliteTable({ path: address.path, busyTimeoutMs: 20_000 });
  }
  const { dynamoTable } = await import('../../shared/adapters/aws/dynamo-table.ts');
  const { localCalls } = await import('./dynamo.ts');
  return dynamoTable({ call: localCalls(address.endpoint), tableName: address.tableName });
}
