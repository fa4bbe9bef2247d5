import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { Outcome } from '../../shared/model/call.ts';
import type { ToolSource } from '../../shared/registry/load.ts';
import type { TableAddress } from '../contract/table.ts';
import { type TestAssay, testAssay } from './assay.ts';
import { openTable } from './table-client.ts';
import { aTool } from './tools.ts';

/** The task of another process: to call a tool this many times at once. */
export interface InvokingTask {
  readonly address: TableAddress;
  readonly calls: number;
}

// Every fifth call fails; most take a few milliseconds, so that they overlap.
const work: Handler = {
  permission: 'safe',
  run: async ({ n }) => {
    await wait(Number(n) % 7);
    if (Number(n) % 5 === 4) throw new RangeError(`no ${n}`);
    return { n };
  },
};
const tool = aTool({
  name: 'tally',
  parameters: { type: 'object' },
  implementation: { type: 'builtin', handler: 'tally' },
});
const source: ToolSource = { kind: 'shipped', source: 'test', definitions: [tool] };

/** The product on a shared table, with a tool that sometimes fails. */
export const workingAssay = async (address: TableAddress): Promise<TestAssay> =>
  testAssay({
    table: await openTable(address),
    discover: async () => [source],
    handlers: { builtin: new Map([['tally', work]]), internal: new Map() },
  });

/** Makes the calls in a separate process and returns their outcomes. */
export const invokeElsewhere = async (task: InvokingTask): Promise<readonly Outcome[]> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [fileURLToPath(import.meta.url), JSON.stringify(task)],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  return JSON.parse(stdout) as readonly Outcome[];
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address, calls } = JSON.parse(process.argv[2] ?? '{}') as InvokingTask;
  const { assay, json } = await workingAssay(address);
  const outcomes = await Promise.all(
    Array.from({ length: calls }, (_, n) => json<Outcome>('POST', '/v1/tools/tally/invoke', { arguments: { n } })),
  );
  await assay.close();
  console.log(JSON.stringify(outcomes.map(({ body }) => body)));
}
