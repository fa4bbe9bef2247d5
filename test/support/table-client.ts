import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Key, Table } from '../../shared/ports.ts';
import type { TableAddress } from '../contract/table.ts';

/** What another process does to an item: append ids to its list, some or (without `changes`) until it is killed. */
export interface ClientTask {
  readonly address: TableAddress;
  readonly key: Key;
  readonly client: string;
  readonly changes?: number;
}

/** Appends ids to an item, all at once, and returns those that were acknowledged. */
export function appendMany(table: Table, key: Key, client: string, changes: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: changes }, (_, n) => append(table, key, `${client}-${n}`)));
}

/** Appends one id to the list of an item. */
export const append = (table: Table, key: Key, id: string): Promise<string> =>
  table.change([key], ([item]) => ({
    writes: [{ put: key, body: { ids: [...((item?.body.ids as string[] | undefined) ?? []), id] } }],
    result: id,
  }));

/** Starts a process of its own that works on the table; `ids` waits for its end. */
export function startTableClient(task: ClientTask) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(child, 'close');
  return {
    kill: () => child.kill('SIGKILL'),
    printedIds: () => printed.split('\n').slice(0, -1),
    async ids(): Promise<readonly string[]> {
      await ended;
      return printed.split('\n').slice(0, -1);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await work(JSON.parse(process.argv[2] ?? '{}'));

async function work({ address, key, client, changes }: ClientTask): Promise<void> {
  const table = await openTable(address);
  if (changes !== undefined) for (const id of await appendMany(table, key, client, changes)) console.log(id);
  else for (let n = 0; ; n++) console.log(await append(table, key, `${client}-${n}`));
  await table.close();
}

async function openTable(address: TableAddress): Promise<Table> {
  if (address.kind === 'sqlite') {
    const { sqliteTable } = await import('../../shared/adapters/sqlite/table.ts');
    return sqliteTable({ path: address.path, busyTimeoutMs: 20_000 });
  }
  const { dynamoTable } = await import('../../shared/adapters/aws/dynamo-table.ts');
  const { localClient } = await import('./dynamo.ts');
  return dynamoTable({ client: localClient(address.endpoint), tableName: address.tableName });
}
