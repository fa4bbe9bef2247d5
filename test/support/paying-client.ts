import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createMeter } from '../../shared/execute/billing/quota.ts';
import type { Handler, Table } from '../../shared/kernel/ports.ts';
import type { TableAddress } from '../contract/table.ts';
import { memoryLog, type TestAssay, testAssay } from './assay.ts';
import { openTable } from './table-client.ts';
import { aTool } from './tools.ts';

/**
 * The task of another process: to call a priced tool with a key, this many times at once; or until it is killed, with
 * two calls in flight that never answer.
 */
export interface PayingTask {
  readonly shops: readonly { readonly address: TableAddress; readonly payer: string }[];
  readonly calls?: number;
}

/** One answer, as the caller saw it. */
export interface Answer {
  readonly shop: number;
  readonly status: number;
  readonly call?: string;
  readonly resetsAt?: string;
}

export const slowTool = aTool({
  name: 'slow',
  price_micros: 3,
  timeout_seconds: 5,
  implementation: { type: 'builtin', handler: 'slow' },
});
const prices = { operations: {}, tools: {}, cached_share: 0.1 };
const slow: Handler = {
  permission: 'safe',
  run: ({ city }) => (city === STALLS ? new Promise(() => {}) : wait(2, { city })),
};
const STALLS = 'Nowhere';
/** A short clock skew, so that the reservations of a killed process are released soon. */
export const SKEW_MS = 100;

/** The product on a table, with a slow tool. */
export const payingAssay = (table: Table, skewMs?: number): Promise<TestAssay> => {
  const [log, clock] = [memoryLog(), { now: Date.now }];
  const meter = createMeter({ table, clock, log, prices, skewMs });
  return testAssay({
    table,
    prices,
    meter,
    handlers: { builtin: new Map([['slow', slow]]), internal: new Map() },
  });
};

export const callSlow = async (
  { json }: Pick<TestAssay, 'json'>,
  payer: string,
  shop = 0,
  city = 'Bern',
): Promise<Answer> => {
  const { status, body } = await json<{ call_id?: string; error?: { details?: { resets_at?: string } } }>(
    'POST',
    '/v1/tools/slow/invoke',
    { arguments: { city } },
    payer,
  );
  const resetsAt = body.error?.details?.resets_at;
  return { shop, status, ...(body.call_id && { call: body.call_id }), ...(resetsAt && { resetsAt }) };
};

/** Starts a paying client in a separate process. */
export function startPayingClient(task: PayingTask) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const ended = once(child, 'close');
  const printed: string[] = [];
  lines.on('line', (line) => printed.push(line));
  const until = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) await Promise.race([once(lines, 'line'), ended.then(() => Promise.reject(early))]);
  };
  return {
    /** Waits until the product is composed; `begin` then starts the calls. */
    ready: () => until(() => printed.includes('ready')),
    begin: () => child.stdin.write('\n'),
    answered: (count: number) => until(() => printed.length > count),
    kill: () => child.kill('SIGKILL'),
    /** The answers that it had received when it ended. */
    async answers(): Promise<readonly Answer[]> {
      await ended;
      return printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Answer);
    },
  };
}

const early = new Error('the process ended before it was answered often enough');

if (process.argv[1] === fileURLToPath(import.meta.url)) await work(JSON.parse(process.argv[2] ?? '{}'));

async function work({ shops, calls }: PayingTask): Promise<void> {
  const assays = await Promise.all(
    shops.map(async ({ address }) => payingAssay(await openTable(address), calls === undefined ? SKEW_MS : undefined)),
  );
  const call = async (shop: number): Promise<void> => {
    const assay = assays[shop];
    if (assay) console.log(JSON.stringify(await callSlow(assay, shops[shop]?.payer ?? '', shop)));
  };
  const forever = async (shop: number): Promise<void> => {
    for (;;) await call(shop);
  };
  // Called again, because on a busy machine a call may time out before the kill.
  const stallForever = async (shop: number): Promise<void> => {
    for (const assay = assays[shop]; assay; ) await callSlow(assay, shops[shop]?.payer ?? '', shop, STALLS);
  };
  console.log('ready');
  await once(process.stdin, 'data');
  for (const shop of shops.keys()) {
    if (calls !== undefined) await Promise.all(Array.from({ length: calls }, () => call(shop)));
    else for (const work of [stallForever(shop), stallForever(shop), forever(shop), forever(shop)]) void work;
  }
  if (calls === undefined) return;
  for (const { assay } of assays) await assay.close();
  process.exit(0);
}
