import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ulid } from 'ulid';
import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import type { AssayPorts } from '../../shared/assay.ts';
import type { MonthUsage } from '../../shared/execute/billing/usage.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { Handler, Table } from '../../shared/kernel/ports.ts';
import { quotaKey } from '../../shared/kernel/quota-keys.ts';
import type { Outcome } from '../../shared/model/call.ts';
import { testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { localCalls, startDynamo, whyNoDynamo } from '../support/dynamo.ts';
import { tries } from '../support/sampling.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aTool } from '../support/tools.ts';

const prices = { operations: {}, tools: {}, cached_share: 0.1 };
const failing: Handler = {
  permission: 'safe',
  run: async () => {
    throw new Error('broken');
  },
};
const shop = (ports: Partial<AssayPorts> = {}) =>
  testAssay({ prices, handlers: { builtin: new Map([['fails', failing]]), internal: new Map() }, ...ports });

const invoke = '/v1/tools/weather_lookup/invoke';
const bern = { arguments: { city: 'Bern' } };

interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: { readonly resets_at?: string };
  };
}

describe('pay per call', () => {
  test('C.06 a success is charged its price, once, and the answer shows the remaining quota', async () => {
    const { json, request, key } = await shop();
    await json('POST', '/v1/tools', aTool({ price_micros: 250 }));
    const payer = await key({ scopes: ['invoke', 'read'], quota: { calls: 10, micros: 1000 } });

    const response = await request('POST', invoke, bern, payer);

    assert.equal(((await response.json()) as Outcome).charged_micros, 250);
    assert.match(response.headers.get('ratelimit') ?? '', /^"calls";r=9;t=\d+, "micros";r=750;t=\d+$/);
    assert.equal(response.headers.get('ratelimit-policy'), '"calls";q=10;w=2592000, "micros";q=1000;w=2592000');
  });

  test('C.06 a used-up quota answers 402 with the time of its reset', async () => {
    const { json, key } = await shop();
    await json('POST', '/v1/tools', aTool({ price_micros: 400 }));
    const payer = await key({ scopes: ['invoke'], quota: { micros: 1000 } });

    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await json<Refusal>('POST', invoke, bern, payer));

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 402],
    );
    assert.match(answers[2]?.body.error.message ?? '', /800 of 1000 micro-dollars .* this call costs 400/);
    assert.match(answers[2]?.body.error.details.resets_at ?? '', /^\d{4}-\d\d-01T00:00:00/);
  });

  test('C.06 failures and refusals cost nothing, and a cached answer a share of the price', async () => {
    const { json, key, assay } = await shop();
    await json(
      'POST',
      '/v1/tools',
      aTool({ name: 'fails', price_micros: 100, implementation: { type: 'builtin', handler: 'fails' } }),
    );
    await json('POST', '/v1/tools', aTool({ price_micros: 100, cacheable: true }));
    const payer = await key({ scopes: ['invoke'], quota: { calls: 100, micros: 10_000 } });

    const failed = await json<Outcome>('POST', '/v1/tools/fails/invoke', bern, payer);
    const refused = await json<Refusal>('POST', invoke, { arguments: {} }, payer);
    const first = await json<Outcome>('POST', invoke, bern, payer);
    const cached = await json<Outcome>('POST', invoke, bern, payer);

    assert.deepEqual([failed.body.status, failed.body.charged_micros], ['failed', 0]);
    assert.equal(refused.status, 400);
    assert.deepEqual([first.body.charged_micros, cached.body.cached, cached.body.charged_micros], [100, true, 10]);
    const counter = await assay.table.get(quotaKey(payer.split('_')[1] ?? '', new Date().toISOString().slice(0, 7)));
    assert.deepEqual(counter?.body, { calls: 2, micros: 110 });
  });

  test('C.06 repeating a request with its Idempotency-Key is not charged again', async () => {
    const { json, request, key } = await shop();
    await json('POST', '/v1/tools', aTool({ price_micros: 100 }));
    const payer = await key({ scopes: ['invoke', 'read'], quota: { calls: 5 } });

    for (let count = 0; count < 3; count++) await request('POST', invoke, bern, payer, { 'idempotency-key': 'one' });

    const { body } = await json<MonthUsage>('GET', '/v1/usage', undefined, payer);
    assert.deepEqual([body.calls, body.micros], [1, 100]);
  });

  test('C.06 usage is summed by month, key and tool, unpriced calls are listed apart, and a key sees only its own', async () => {
    const { json, request, key } = await shop();
    await json('POST', '/v1/tools', aTool({ price_micros: 100 }));
    await json('POST', '/v1/tools', aTool({ name: 'unpriced' }));
    const [one, two] = [await key({ scopes: ['invoke', 'read'] }), await key({ scopes: ['invoke', 'read'] })];
    await json('POST', invoke, bern, one);
    await json('POST', '/v1/tools/unpriced/invoke', bern, two);

    await new Promise((resolve) => setTimeout(resolve, 60));
    const own = (await json<MonthUsage>('GET', '/v1/usage', undefined, one)).body;
    const all = (await json<MonthUsage>('GET', '/v1/usage')).body;

    assert.deepEqual(
      own.keys.map(({ tools }) => tools),
      [[{ tool: 'weather_lookup', calls: 1, micros: 100 }]],
    );
    assert.deepEqual([all.calls, all.micros, all.keys.length], [2, 100, 2]);
    assert.ok(
      all.keys.some(({ tools }) => tools.some(({ tool, unpriced }) => tool === 'unpriced' && unpriced === true)),
    );
    const csv = await (await request('GET', '/v1/usage?format=csv')).text();
    const lines = await (await request('GET', '/v1/usage?format=jsonl')).text();
    assert.equal(lines.trimEnd().split('\n').length, csv.trimEnd().split('\n').length - 1);
    for (const line of lines.trimEnd().split('\n')) assert.ok(csv.includes(`,${JSON.parse(line).tool},`), line);
    assert.match(csv, /^month,key_id,tool,calls,micros\n/);
    assert.equal((await json('GET', '/v1/usage?month=2026-13')).status, 400);
  });

  test('C.06 lookups are free but count against the key’s rate limit', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    let count = 0;
    const clock = { now: () => now, newId: () => `01HQX${String(++count).padStart(21, '0')}` };
    const { json, request, key } = await shop({ clock, table: memoryTable({ now: () => now }) });
    const slow = await key({ scopes: ['read'], rate: { per_second: 10, burst: 5 } });
    const ask = async () => (await request('GET', '/v1/tools', undefined, slow)).status;

    const first = [];
    for (let each = 0; each < 6; each++) first.push(await ask());
    now += 100;
    const later = [await ask(), await ask()];

    assert.deepEqual(first, [200, 200, 200, 200, 200, 429]);
    assert.deepEqual(later, [200, 429]);
    const refused = await request('GET', '/v1/tools', undefined, slow);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await json('GET', '/v1/tools')).status, 200);
  });

  test('C.06 a key that was idle for long may send its burst at once, and no more', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    let count = 0;
    const clock = { now: () => now, newId: () => `01HQX${String(++count).padStart(21, '0')}` };
    const { request, key } = await shop({ clock, table: memoryTable({ now: () => now }) });
    const slow = await key({ scopes: ['read'], rate: { per_second: 10, burst: 5 } });
    const ask = async () => (await request('GET', '/v1/tools', undefined, slow)).status;
    await ask();

    now += 60_000;
    const statuses = [];
    for (let each = 0; each < 7; each++) statuses.push(await ask());

    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429]);
  });

  test('C.06 a slow rate grants no more than it earned, however long its key was idle', async () => {
    const clock = standingClock();
    const { request, key } = await shop({ clock, table: memoryTable({ now: clock.now }) });
    const slow = await key({ scopes: ['read'], rate: { per_second: 0.001, burst: 9 } });
    const ask = async () => (await request('GET', '/v1/tools', undefined, slow)).status;
    for (let each = 0; each < 9; each++) assert.equal(await ask(), 200);

    clock.move(2 * 3_600_000);

    const statuses = [];
    for (let each = 0; each < 8; each++) statuses.push(await ask());
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 200, 429]);
  });

  test('C.06 a repeated Idempotency-Key of another key is another call, with its own charge', async () => {
    const { json, request, key } = await shop();
    await json('POST', '/v1/tools', aTool({ price_micros: 7 }));
    const payers = [await key({ scopes: ['invoke'] }), await key({ scopes: ['invoke'] })];

    const answers = [];
    for (const payer of payers) {
      const response = await request('POST', invoke, bern, payer, { 'idempotency-key': 'shared' });
      answers.push((await response.json()) as Outcome);
    }

    assert.equal(new Set(answers.map(({ call_id }) => call_id)).size, 2);
    const { body } = await json<MonthUsage>('GET', '/v1/usage');
    assert.deepEqual(
      body.keys.map(({ micros }) => micros),
      [7, 7],
    );
  });

  test('quota reserved by a crashed process is released once its lease expires, by the next call that sees it', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    const clock = { now: () => now, newId: () => ulid(now) };
    const { json, key, assay } = await shop({ clock, table: memoryTable({ now: () => now }) });
    await json('POST', '/v1/tools', aTool({ price_micros: 1 }));
    const payer = await key({ scopes: ['invoke'], quota: { calls: 2 } });
    const keyId = payer.split('_')[1] ?? '';
    const call = (id: string) => ({
      ...{ id, tenant: 'default', keyId, tool: 'weather_lookup', version: '1.0.0' },
      ...{ priceMicros: 1, quota: { calls: 2 }, at: now, timeoutMs: 60_000 },
    });
    // Two calls that reserved and whose process died; one of them between its row and its count.
    await assay.meter.reserve(call(ulid(now)));
    await assay.meter.reserve(call(ulid(now)));

    const refused = await json<Refusal>('POST', invoke, bern, payer);
    assert.equal(refused.status, 402);
    assert.match(refused.body.error.message, /^2 of 2 calls of 2026-03 are used/);
    now += 60_000;
    assert.equal((await json('POST', invoke, bern, payer)).status, 402, 'its clock may be a minute behind');
    now += 60_000;
    assert.equal((await json('POST', invoke, bern, payer)).status, 200, 'the call that finds it is let through');
    assert.equal((await json('POST', invoke, bern, payer)).status, 200);
    assert.equal((await json('POST', invoke, bern, payer)).status, 402);
    assert.deepEqual((await json<Verification>('GET', '/v1/usage/verification?month=2026-03')).body.differences, []);
  });

  test('a call that returns after its reservation lapsed is told so, and charges nothing', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    const clock = { now: () => now, newId: () => ulid(now) };
    const sleepy: Handler = {
      permission: 'safe',
      async run() {
        now += 10 * 60_000;
        await json('POST', invoke, bern, payer);
        return 1;
      },
    };
    const { json, key } = await shop({
      clock,
      table: memoryTable({ now: () => now }),
      handlers: { builtin: new Map([['sleeps', sleepy]]), internal: new Map() },
    });
    await json('POST', '/v1/tools', aTool({ price_micros: 1 }));
    await json('POST', '/v1/tools', aTool({ name: 'sleeps', implementation: { type: 'builtin', handler: 'sleeps' } }));
    const payer = await key({ scopes: ['invoke', 'read'], quota: { calls: 1 } });

    const late = await json<Refusal>('POST', '/v1/tools/sleeps/invoke', bern, payer);

    assert.equal(late.status, 409, JSON.stringify(late.body));
    assert.match(late.body.error.message, /has already ended, or its time ran out/);
    assert.equal((await json<MonthUsage>('GET', '/v1/usage?month=2026-03', undefined, payer)).body.calls, 1);
    assert.deepEqual((await json<Verification>('GET', '/v1/usage/verification?month=2026-03')).body.differences, []);
  });

  test('X.04 a call interrupted until its reservation lapsed continues under its id if idempotent, and ends otherwise', async () => {
    let now = Date.parse('2026-03-01T12:00:00Z');
    const clock = { now: () => now, newId: () => ulid(now) };
    const { json, key, assay } = await shop({ clock, table: memoryTable({ now: () => now }) });
    await json('POST', '/v1/tools', aTool({ name: 'again', price_micros: 5 }));
    await json('POST', '/v1/tools', aTool({ name: 'effect', price_micros: 5, idempotent: false }));
    const actor = await assay.authenticate(await key({ scopes: ['invoke'], quota: { calls: 100 } }));
    const { tenant, keyId } = actor;
    const died = async (tool: string): Promise<string> => {
      const id = ulid(now);
      const about = { id, tenant, keyId, tool, version: 'unversioned', at: now, timeoutMs: 60_000 };
      await assay.meter.reserve({ ...about, priceMicros: 5, quota: { calls: 100 } });
      return id;
    };
    const ids = { again: await died('again'), effect: await died('effect') };
    now += 10 * 60_000;
    await json('POST', '/v1/usage/verification?month=2026-03');
    const repeat = (name: keyof typeof ids) =>
      executeTool(assay, actor, { name, ...bern }, undefined, { once: { id: ids[name], earlier: 'cut off' } });

    const [first, second] = [await repeat('again'), await repeat('again')];
    const effect = await repeat('effect');

    assert.deepEqual([first.status, first.call_id, first.charged_micros], ['ok', ids.again, 5]);
    assert.deepEqual([second.status, second.call_id], ['ok', ids.again]);
    assert.deepEqual([effect.status, effect.charged_micros], ['interrupted', 0]);
    const { body } = await json<Verification>('GET', '/v1/usage/verification?month=2026-03');
    assert.deepEqual([body.ledger, body.differences], [{ calls: 1, micros: 5 }, []]);
  });
});

const QUOTA = tries(40, 100);
const CALLS = tries(56, 500);

/** More calls at once than a quota allows, from 4 clients. */
const neverOverruns = async (open: () => Table): Promise<void> => {
  const clients = await Promise.all([0, 1, 2, 3].map(() => shop({ table: open() })));
  const [first] = clients;
  assert.ok(first);
  await first.json('POST', '/v1/tools', aTool({ price_micros: 3 }));
  const payer = await first.key({ scopes: ['invoke'], quota: { calls: QUOTA } });
  for (const { assay } of clients) assay.catalogs.changed('default');

  const statuses = await Promise.all(
    Array.from(
      { length: CALLS },
      async (_, index) => (await clients[index % 4]?.json('POST', invoke, bern, payer))?.status,
    ),
  );

  assert.equal(statuses.filter((status) => status === 200).length, QUOTA);
  assert.equal(statuses.filter((status) => status === 402).length, CALLS - QUOTA);
  for (const { assay } of clients) await assay.recorder.flush();
  const { body } = await first.json<Verification>('GET', '/v1/usage/verification');
  const unfolded = first.assay.table.streams;
  assert.deepEqual(body.ledger, { calls: QUOTA, micros: 3 * QUOTA });
  assert.deepEqual(
    body.differences.filter(({ what }) => what === 'quota' || !unfolded),
    [],
  );
  for (const { assay } of clients) await assay.table.close();
};

describe('more concurrent calls than the quota allows', () => {
  test(`C.06 concurrent calls charge exactly ${QUOTA} in memory`, async () => {
    const table = memoryTable();
    await neverOverruns(() => ({ ...table, close: async () => {} }));
  });

  test(`C.06 concurrent calls charge exactly ${QUOTA} on SQLite`, async (t) => {
    const directory = await temporaryDirectory(t);
    await neverOverruns(() => sqliteTable({ path: join(directory, 'assay.db') }));
  });

  test(`C.06 concurrent calls charge exactly ${QUOTA} on DynamoDB`, { skip: whyNoDynamo() ?? false }, async (t) => {
    const dynamo = await startDynamo();
    t.after(() => dynamo.stop());
    await neverOverruns(() => dynamoTable({ call: localCalls(dynamo.endpoint), tableName: dynamo.tableName }));
  });

  test('C.06 a successful invoke costs one write unit of DynamoDB, and three with a quota', {
    skip: whyNoDynamo() ?? false,
  }, async (t) => {
    const dynamo = await startDynamo();
    t.after(() => dynamo.stop());
    let units = 0;
    const table = dynamoTable({
      call: dynamo.call,
      tableName: dynamo.tableName,
      onCapacity: (used) => {
        units += used;
      },
    });
    const { json, key, assay } = await shop({ table, recording: { delayMs: 0 } });
    await json('POST', '/v1/tools', aTool({ price_micros: 3 }));
    const payer = await key({ scopes: ['invoke'], quota: { calls: 100, micros: 1000 } });
    const free = await key({ scopes: ['invoke'] });
    await json('POST', invoke, bern, payer);
    await json('POST', invoke, bern, free);
    await assay.recorder.flush();

    const unitsOf = async (as: string): Promise<number> => {
      units = 0;
      await json('POST', invoke, bern, as);
      await assay.recorder.flush();
      return units;
    };

    assert.equal(await unitsOf(payer), 3);
    assert.equal(await unitsOf(free), 1);
  });
});
