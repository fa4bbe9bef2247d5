import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { listen } from '../../functions/cli/listen.ts';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import { nodeGauge } from '../../shared/adapters/node/gauge.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { Handler } from '../../shared/kernel/ports.ts';
import type { Actor } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';
import { judge } from './report.ts';
import { alternate, median, printRows, requestsPerSecond } from './support/measure.ts';

/** The cost of the layers, in process and over HTTP. */
export const bench = async (): Promise<void> => {
  await layers();
  await http();
};

const builtin = (cacheable: boolean) =>
  aTool({ name: cacheable ? 'kept' : 'at_once', cacheable, implementation: { type: 'builtin', handler: 'at_once' } });

const layers = async (): Promise<void> => {
  const handler: Handler = { permission: 'safe', run: async ({ city }) => ({ city }) };
  const handlers = { builtin: new Map([['at_once', handler]]), internal: new Map() };
  const { assay, json } = await testAssay({ handlers, gauge: nodeGauge(), log: jsonLog(() => {}) });
  for (const cacheable of [false, true]) await json('POST', '/v1/tools', builtin(cacheable));
  const actor: Actor = { keyId: 'bench', tenant: 'default', scopes: new Set(['invoke']) };
  const call = (name: string) => executeTool(assay, actor, { name, arguments: { city: 'Bern' } });
  const context = { tenant: 'default' } as never;
  const times = await alternate(9, {
    bare: () => medianOf(() => handler.run({ city: 'Bern' }, context)),
    layered: () => medianOf(() => call('at_once')),
    cached: () => medianOf(() => call('kept')),
  });
  await assay.close();
  printRows('in process, on the memory store, median of a call', [
    ['the builtin alone', microseconds(times.bare)],
    ['through the layers', microseconds(times.layered)],
    ['  added', microseconds(times.layered - times.bare), 'under 150 us'],
    ['from the cache', microseconds(times.cached)],
  ]);
};

/** Makes calls one at a time, so that the median does not benefit from batches. */
const medianOf = async (call: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let count = 0; count < 2000; count++) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return median(times);
};

const microseconds = (ms: number): string => `${(ms * 1000).toFixed(1)} us`;

const http = async (): Promise<void> => {
  const data = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const key = 'an-admin-key-for-the-bench';
  const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));
  const own = spawn(process.execPath, [entry, 'serve', '--port', '0', '--data', data], {
    env: { ...process.env, ASSAY_ADMIN_KEY: key },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const bare = spawn(process.execPath, [fileURLToPath(import.meta.url), 'bare'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [ours, theirs] = await Promise.all([portOf(own), portOf(bare)]);
  const body = JSON.stringify({ arguments: { city: 'Bern' } });
  const invoke = (tool: string) => () => requestsPerSecond(ours, `/v1/tools/${tool}/invoke`, key, 1500, body);
  await register(ours, key, aTool({ name: 'free' }));
  await register(ours, key, { ...aTool({ name: 'paid' }), price_micros: 10 });
  const measurements = {
    bare: () => requestsPerSecond(theirs, '/constant', '', 1500, body),
    unpriced: invoke('free'),
    priced: invoke('paid'),
  };
  // The first seconds warm up both servers.
  await alternate(2, measurements);
  const rates = await alternate(5, measurements);
  for (const child of [own, bare]) child.kill();
  await Promise.all([own, bare].map((child) => once(child, 'close')));
  await rm(data, { recursive: true });
  const ratio = (rate: number): string => (rate / rates.bare).toFixed(2);
  printRows('HTTP, invoke on SQLite with key, log, record and statistics', [
    ['bare Hono route that reads the body', `${rates.bare.toFixed(0)} /s`],
    ['a tool without a price: records within 20 ms', `${rates.unpriced.toFixed(0)} /s`],
    ['  ratio', ratio(rates.unpriced), 'at least 0.30'],
    ['a tool with a price: its record before its answer', `${rates.priced.toFixed(0)} /s`],
    ['  ratio', ratio(rates.priced), 'at least 0.27'],
  ]);
  judge('a call without a price reaches 0.30 of a bare route’s rate', rates.unpriced / rates.bare >= 0.3);
  judge('a call with a price reaches 0.27 of a bare route’s rate', rates.priced / rates.bare >= 0.27);
};

const register = async (port: number, key: string, tool: object): Promise<void> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/tools`, {
    method: 'POST',
    headers,
    body: JSON.stringify(tool),
  });
  if (answer.status !== 201) throw new Error(`the tool was not registered: ${answer.status}`);
};

const portOf = async (child: ChildProcess): Promise<number> => {
  let text = '';
  for await (const part of child.stdout ?? []) {
    text += String(part);
    const port = /http:\/\/[\d.]+:(\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    return Number(port);
  }
  throw new Error('the server did not start');
};

if (process.argv[2] === 'bare' && process.argv[1] === fileURLToPath(import.meta.url)) {
  const app = new Hono().post('/constant', async (c) => {
    await c.req.text();
    return c.body('{"status":"ok"}', 200, { 'content-type': 'application/json' });
  });
  console.log((await listen(app as never, '127.0.0.1', 0)).address);
}
