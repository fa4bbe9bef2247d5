import assert from 'node:assert/strict';
import { monotonicFactory } from 'ulid';
import { localRuns } from '../../functions/compose/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import { ACTIVE_RUNS_PK } from '../../shared/kernel/item-keys.ts';
import { LEASE_MS } from '../../shared/kernel/lease.ts';
import type { Blobs, Handler, Table } from '../../shared/kernel/ports.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import type { RunView } from '../../shared/model/run.ts';
import type { LocalRuns } from '../../shared/plan/local-run-deps.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';
import { createTurns, mortalStore, seeded } from './dying-table.ts';

/** One way in which things may happen: what is done, when the first process dies, and in which order they take turns. */
export interface Schedule {
  readonly scenario: keyof typeof scenarios;
  /** The writes of the first process; it lives where that is more than it does. */
  readonly writes: number;
  readonly seed: number;
  /** Whether a second process does the same at the same time. */
  readonly isContended: boolean;
}

interface Process extends TestAssay {
  readonly runs: LocalRuns;
  readonly calls: { effects: number };
}

interface Client {
  readonly process: Process;
  readonly key: string;
  /** What tells the requests of one client from those of another. */
  readonly name: string;
  readonly planId: string;
  /** What was answered, and so must stay. */
  readonly acknowledged: string[];
}

const MONTH_START = Date.parse('2026-03-05T12:00:00Z');
const PRICE = 7;
const FEE = 3;
const prices = { operations: { run: FEE }, tools: {}, cached_share: 0.1 };

const send = async (client: Client, method: string, path: string, body?: unknown, headers = {}) => {
  const response = await client.process.request(method, path, body, client.key, headers);
  const text = await response.text();
  const ok = response.status < 300;
  if (ok) client.acknowledged.push(`${method} ${path}`);
  return { ok, status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};

const admin = (client: Client): Client => ({ ...client, key: 'admin-key-for-tests' });
const once = (client: Client) => ({ 'idempotency-key': `once-${client.name}` });

const startRun = async (client: Client): Promise<string | undefined> => {
  const { ok, body } = await send(client, 'POST', `/v1/plans/${client.planId}/runs`, { input: {} }, once(client));
  return ok ? body.run_id : undefined;
};

/** What each operation does; whatever may be repeated is repeated by whoever got no answer. */
const scenarios = {
  register: async (client: Client) => {
    await send(admin(client), 'POST', '/v1/tools', aTool({ name: `new_${client.name}` }));
  },
  invoke: async (client: Client) => {
    await send(client, 'POST', '/v1/tools/priced/invoke', { arguments: { city: client.name } });
  },
  'invoke once': async (client: Client) => {
    await send(client, 'POST', '/v1/tools/priced/invoke', { arguments: { city: 'Ulm' } }, once(client));
  },
  'effect once': async (client: Client) => {
    await send(client, 'POST', '/v1/tools/effect/invoke', { arguments: { city: 'Ulm' } }, once(client));
  },
  fail: async (client: Client) => {
    await send(client, 'POST', '/v1/tools/broken/invoke', { arguments: { city: 'Ulm' } });
  },
  plan: async (client: Client) => {
    const run = await startRun(client);
    if (run) await client.process.runs.ended('default', run);
  },
  'plan unrepeated': async (client: Client) => {
    const { ok, body } = await send(client, 'POST', `/v1/plans/${client.planId}/runs`, { input: {} });
    if (ok) await client.process.runs.ended('default', body.run_id);
  },
  revoke: async (client: Client) => {
    const made = await send(admin(client), 'POST', '/v1/keys', { name: client.name, scopes: ['read'] });
    if (made.ok) await send(admin(client), 'DELETE', `/v1/keys/${made.body.id}`);
  },
} as const;

export const scenarioNames = Object.keys(scenarios) as readonly Schedule['scenario'][];

export interface Store {
  readonly table: Table;
  readonly blobs: Blobs;
}

/** Does what a schedule says, recovers as a server does that starts later, and checks what must hold. */
export const simulate = async (
  schedule: Schedule,
  open?: (now: () => number) => Store,
): Promise<{ writes: number }> => {
  const random = seeded(schedule.seed);
  const time = { now: MONTH_START };
  const clock = { now: () => time.now };
  const { table, blobs } = open?.(clock.now) ?? { table: memoryTable(clock), blobs: memoryBlobs() };
  const calls = { effects: 0 };
  const start = (store: Store) => startProcess(store, time, random, calls);
  const first = await start({ table, blobs });
  const key = await prepare(first);
  const planId = await makePlan(first);
  await first.assay.recorder.flush();

  const turn = createTurns(random);
  const mortal = mortalStore(table, blobs, { writes: schedule.writes, turn });
  const other = mortalStore(table, blobs, { turn });
  const clientOf = async (store: Store, name: string): Promise<Client> => ({
    ...{ process: await start(store), key, name, planId, acknowledged: [] },
  });
  const clients = [await clientOf(mortal, 'a'), ...(schedule.isContended ? [await clientOf(other, 'b')] : [])];
  const later = await start({ table, blobs });
  const recoverAndCheck = async (): Promise<void> => {
    const run = scenarios[schedule.scenario];
    await Promise.all(clients.map((client) => run(client).catch(() => {})));

    // Long after: whatever was left is anybody's.
    time.now += LEASE_MS + 20 * 60_000;
    const resume = async (): Promise<void> => {
      for (const id of await later.runs.resume()) await later.runs.ended('default', id);
    };
    await resume();
    const again = clients.map((client) => ({ ...client, process: later, acknowledged: [] }));
    if (isRepeatable(schedule)) for (const client of again) await run(client);
    time.now += LEASE_MS;
    await resume();
    const runs = new Set([...mortal.runs, ...other.runs]);
    await checkInvariants(schedule, later, [...clients, ...again], calls.effects, table, runs.size);
  };
  try {
    await recoverAndCheck();
  } finally {
    // The dead ones would try to store their records for ever.
    for (const { process } of clients) await process.assay.recorder.close().catch(() => {});
    await later.assay.close();
  }
  return { writes: mortal.state.writes };
};

const isRepeatable = ({ scenario }: Schedule): boolean => /once|plan$/.test(scenario);

const startProcess = async (
  { table, blobs }: Store,
  time: { readonly now: number },
  random: () => number,
  calls: { effects: number },
): Promise<Process> => {
  const ids = monotonicFactory(random);
  const made: LocalRuns[] = [];
  const effect: Handler = { permission: 'safe', run: async () => ++calls.effects };
  const broken: Handler = { permission: 'safe', run: () => Promise.reject(new Error('broken')) };
  const given = await testAssay({
    table,
    blobs,
    prices,
    clock: { now: () => time.now, newId: () => ids(time.now) },
    timers: { every: () => () => {} },
    recording: { delayMs: 0 },
    handlers: { builtin: new Map(Object.entries({ broken })), internal: new Map([['effect', effect]]) },
    startRuns: (assay) => {
      const runs = localRuns(assay, blobs);
      made.push(runs);
      return runs;
    },
  });
  const [runs] = made;
  assert.ok(runs);
  return { ...given, runs, calls };
};

const prepare = async ({ json, key }: Process): Promise<string> => {
  const tools = [
    aTool({ name: 'priced', price_micros: PRICE }),
    aTool({ name: 'effect', price_micros: PRICE, implementation: { type: 'internal', handler: 'effect' } }),
    aTool({ name: 'broken', price_micros: PRICE, implementation: { type: 'builtin', handler: 'broken' } }),
  ];
  for (const tool of tools) assert.equal((await json('POST', '/v1/tools', tool)).status, 201);
  return key({ scopes: ['read', 'invoke'], quota: { calls: 100, micros: 100_000 } });
};

const makePlan = async ({ json }: Process): Promise<string> => {
  const nodes = [
    { id: 'a', tool: 'priced', arguments: { city: 'Ulm' } },
    { id: 'b', tool: 'priced', arguments: { city: 'Bern' }, after: ['a'] },
  ];
  const { body, status } = await json<{ plan_id: string }>('POST', '/v1/plans', { nodes });
  assert.ok(status < 300, JSON.stringify(body));
  return body.plan_id;
};

const checkInvariants = async (
  { scenario, isContended }: Schedule,
  { json }: Process,
  clients: readonly Client[],
  effects: number,
  table: Table,
  runs: number,
): Promise<void> => {
  const month = '/v1/usage/verification?month=2026-03';
  const before = (await json<Verification>('GET', month)).body;
  for (const { what, ledger, stored, why } of before.differences)
    assert.ok(what === 'quota' && stored.calls >= ledger.calls && stored.micros >= ledger.micros, `${what}: ${why}`);
  const settled = (await json<Verification>('POST', month)).body;
  assert.deepEqual(settled.differences, [], 'ledger, usage and quota agree');
  const { executions } = (await json<{ executions: CallRecord[] }>('GET', '/v1/executions?limit=500')).body;
  const charged = (tool: string) => executions.filter((row) => row.tool === tool && row.status === 'ok').length;
  const acknowledged = clients.flatMap((client) => client.acknowledged);
  const acks = (text: string): number => acknowledged.filter((line) => line.includes(text)).length;
  const operations = isContended ? 2 : 1;
  assert.deepEqual(
    (await table.query(ACTIVE_RUNS_PK)).items.map(({ key }) => key.sk),
    [],
    'no run is left',
  );
  switch (scenario) {
    case 'register':
      for (const { name } of clients.filter((client) => client.acknowledged.length > 0))
        assert.equal((await json('GET', `/v1/tools/new_${name}`)).status, 200, 'what was registered is there');
      break;
    case 'invoke':
      assert.ok(charged('priced') >= acks('priced') && charged('priced') <= operations, 'charged once');
      break;
    case 'invoke once':
      assert.equal(charged('priced'), operations, 'charged once, however often it was sent');
      break;
    case 'effect once':
      assert.ok(effects <= operations, `an effect was repeated: ${effects}`);
      assert.ok(charged('effect') <= effects, 'charged without effect');
      break;
    case 'fail':
      assert.equal(charged('broken'), 0, 'a failure was charged');
      break;
    case 'plan':
      await checkRuns(json, executions, operations);
      break;
    case 'plan unrepeated':
      await checkRuns(json, executions, runs);
      break;
    case 'revoke':
      break;
  }
};

const checkRuns = async (
  json: Process['json'],
  executions: readonly CallRecord[],
  operations: number,
): Promise<void> => {
  const fees = executions.filter(({ tool, status }) => tool === 'run' && status === 'ok');
  assert.equal(fees.length, operations, 'each run has its fee, once');
  for (const { call_id } of fees) {
    const { body: view } = await json<RunView>('GET', `/v1/runs/${call_id}`);
    assert.equal(view.status, 'ok', JSON.stringify(view.error));
  }
  const nodes = executions.filter(({ tool, status }) => tool === 'priced' && status === 'ok');
  assert.equal(nodes.length, 2 * operations, 'each node is charged once');
};
