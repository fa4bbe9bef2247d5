import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { createMeter } from '../../shared/execute/billing/quota.ts';
import { createQuotaHolding } from '../../shared/execute/billing/quota-holders.ts';
import { createRecount } from '../../shared/execute/billing/recount.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../../shared/kernel/lease.ts';
import type { Change, Handler, Item, Key, Table } from '../../shared/kernel/ports.ts';
import { ACTIVE_QUOTAS_PK, quotaKey } from '../../shared/kernel/quota-keys.ts';
import type { Outcome } from '../../shared/model/call.ts';
import { memoryLog, testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { aTool } from '../support/tools.ts';

const MONTH = '2026-11';
const prices = { operations: {}, tools: {}, cached_share: 1 };
/** Longer than the time-out of a tool, and by how much clocks differ. */
const RESERVED_MS = 10 * 60_000;

/** Processes on one table, whose beats never come. */
const world = () => {
  const clock = standingClock();
  const shared = memoryTable({ now: clock.now });
  let chance = 0;
  const start = async (see: (table: Table) => Table = (table) => table) => {
    const timers = { after: () => () => {}, every: () => () => {} };
    const [table, log] = [see(shared), memoryLog()];
    const random = (bytes: number) => new Uint8Array(bytes).fill(++chance);
    const quotas = createQuotaHolding({ table, clock, timers, log, random });
    const builtin = new Map<string, Handler>([
      ['broken', { permission: 'safe', run: () => Promise.reject(new Error('broken')) }],
      ['stalled', { permission: 'safe', run: () => new Promise(() => {}) }],
    ]);
    const handlers = { builtin, internal: new Map() };
    const assay = await testAssay({ table, clock, timers, prices, quotaHolding: quotas, handlers, random });
    return { ...assay, quotas };
  };
  return { clock, start, shared };
};

const holders = async (table: Table): Promise<number> => (await table.query(ACTIVE_QUOTAS_PK)).items.length;
const counted = async (table: Table, key: string): Promise<unknown> =>
  (await table.get(quotaKey(key.split('_')[1] ?? '', MONTH)))?.body.calls;

/** A table on which nothing can be given back to a counter. */
const refusingReturns =
  (error: Error) =>
  (table: Table): Table => ({
    ...table,
    count: (key, add, ...rest) =>
      Object.values(add).some((value) => value < 0) ? Promise.reject(error) : table.count(key, add, ...rest),
  });

const callBroken = async ({ start }: ReturnType<typeof world>) => {
  const dead = await start(refusingReturns(new Error('died')));
  const implementation = { type: 'builtin', handler: 'broken' };
  await dead.json('POST', '/v1/tools', aTool({ name: 'broken', price_micros: 5, implementation }));
  const key = await dead.key({ scopes: ['invoke'], quota: { calls: 9 } });
  const { status } = await dead.json('POST', '/v1/tools/broken/invoke', { arguments: { city: 'Ulm' } }, key);
  assert.equal(status, 500, 'it died before it gave the call back');
  return { dead, key };
};

describe('X.04 processes with open reservations', () => {
  test('the quotas of a crashed process are recounted by another, but not while it may be alive', async () => {
    const here = world();
    const { key } = await callBroken(here);
    const other = await here.start();

    here.clock.move(LEASE_MS - 1);
    await other.quotas.takeOver();
    assert.deepEqual([await counted(here.shared, key), await holders(here.shared)], [1, 1]);
    here.clock.move(1);
    await other.quotas.takeOver();
    assert.deepEqual([await counted(here.shared, key), await holders(here.shared)], [0, 0]);
  });

  test('quotas are recounted again later while a call of the crashed process may still run', async () => {
    const here = world();
    const dead = await here.start();
    const implementation = { type: 'builtin', handler: 'stalled' };
    await dead.json('POST', '/v1/tools', aTool({ name: 'stalled', timeout_seconds: 300, implementation }));
    const key = await dead.key({ scopes: ['invoke'], quota: { calls: 9 } });
    void dead.json('POST', '/v1/tools/stalled/invoke', { arguments: { city: 'Ulm' } }, key);
    while ((await counted(here.shared, key)) !== 1) await new Promise((resolve) => setImmediate(resolve));
    const other = await here.start();

    here.clock.move(LEASE_MS);
    await other.quotas.takeOver();
    assert.deepEqual([await counted(here.shared, key), await holders(here.shared)], [1, 1], 'it may be at work');
    here.clock.move(RESERVED_MS);
    await other.quotas.takeOver();
    assert.deepEqual([await counted(here.shared, key), await holders(here.shared)], [0, 0]);
  });

  test('a process that was suspended past its lease registers its quotas again', async () => {
    const here = world();
    const { dead } = await callBroken(here);
    here.clock.move(LEASE_MS + HEARTBEAT_MS);
    await (await here.start()).quotas.takeOver();
    assert.equal(await holders(here.shared), 0);

    await dead.quotas.takeOver();
    assert.equal(await holders(here.shared), 1);
  });

  test('an idle process removes its quotas on shutdown, and one with open calls leaves them to others', async () => {
    for (const [isIdle, left] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const here = world();
      const { quotas } = await here.start();
      await quotas.hold('default', MONTH);
      await quotas.close(isIdle);
      assert.equal(await holders(here.shared), left);
      await (await here.start()).quotas.takeOver();
      assert.equal(await holders(here.shared), 0, 'at once, without waiting for the lease');
    }
  });
});

/** A table that cannot be reached for the writes that `isRefused` names. */
const failingAt = (isRefused: (key: Key, add?: Readonly<Record<string, number>>) => boolean) => (table: Table) => ({
  ...table,
  count: async (...given: Parameters<Table['count']>) => {
    const counters = await table.count(...given);
    if (isRefused(given[0], given[1])) throw new Fault('Unavailable', 'the answer was lost');
    return counters;
  },
  change: async <T>(keys: readonly Key[], rule: (items: readonly (Item | undefined)[]) => Change<T>) => {
    if (keys.some((key) => isRefused(key))) throw new Fault('Unavailable', 'the disk is full');
    return table.change(keys, rule);
  },
});

describe('X.04 a quota whose table fails', () => {
  const tool = aTool({ name: 'priced', price_micros: 5 });
  const broken = aTool({ name: 'broken', price_micros: 5, implementation: { type: 'builtin', handler: 'broken' } });
  const calling = async (see: (table: Table) => Table, definition: typeof tool, calls = 5) => {
    const here = world();
    const server = await here.start(see);
    await server.json('POST', '/v1/tools', definition);
    const key = await server.key({ scopes: ['invoke'], quota: { calls } });
    const path = `/v1/tools/${definition.name}/invoke`;
    return { here, server, key, answer: await server.json<Outcome>('POST', path, { arguments: { city: 'Ulm' } }, key) };
  };

  test('a call is answered when the event of a nearly used-up quota is not stored', async () => {
    const { answer, here, key } = await calling(
      failingAt(({ sk }) => sk.startsWith('TOLD#')),
      tool,
      1,
    );

    assert.deepEqual([answer.status, answer.body.charged_micros], [200, 5]);
    assert.equal(await counted(here.shared, key), 1);
  });

  test('a failed call is answered when its price is not given back, and a recount gives it back', async () => {
    const { answer, here, key, server } = await calling(
      refusingReturns(new Fault('Unavailable', 'the disk is full')),
      broken,
    );

    assert.deepEqual([answer.status, answer.body.status], [200, 'failed']);
    await server.quotas.takeOver();
    assert.equal(await counted(here.shared, key), 0);
  });

  test('X.04 what a recount has already given back is not given back again', async () => {
    const recounting = (table: Table): Table => ({
      ...table,
      async count(key, add, ...rest) {
        const keyId = key.pk.slice('KEY#'.length);
        const recount = createRecount({ table, clock: standingClock(), log: memoryLog() });
        if ((add.calls ?? 0) < 0) await recount('default', keyId, MONTH, { isForced: true });
        return table.count(key, add, ...rest);
      },
    });
    const { answer, here, key } = await calling(recounting, broken);

    assert.equal(answer.body.status, 'failed');
    assert.equal(await counted(here.shared, key), 0);
  });

  test('a call whose count got no answer is refused, and a recount takes it back', async () => {
    const { answer, here, key, server } = await calling(
      failingAt((_, { calls = 0 } = {}) => calls > 0),
      tool,
    );

    assert.deepEqual([answer.status, await counted(here.shared, key)], [503, 1]);
    await server.assay.meter.close();
    here.clock.move(RESERVED_MS);
    await (await here.start()).quotas.takeOver();
    assert.equal(await counted(here.shared, key), 0);
  });
});

test('X.04 a call suspended between its ledger row and its count until it expired is told so, and not counted', async () => {
  const clock = standingClock();
  const log = memoryLog();
  const table = memoryTable({ now: clock.now });
  const id = clock.newId();
  const about = { tenant: 'default', keyId: 'k', tool: 't', version: '1.0.0', priceMicros: 3, timeoutMs: 1000 };
  const call = { ...about, id, quota: { calls: 5 }, at: clock.now() };
  await createMeter({ table, clock, log, prices }).reserve({ ...call, id: clock.newId() });
  const sleeping: Table = {
    ...table,
    async count(...given) {
      clock.move(RESERVED_MS);
      await createRecount({ table, clock, log })('default', 'k', MONTH, { isForced: true });
      return table.count(...given);
    },
  };

  const meter = createMeter({ table: sleeping, clock, log, prices });
  await assert.rejects(async () => meter.reserve(call), /has already ended, or its time ran out/);
  assert.equal((await table.get(quotaKey('k', MONTH)))?.body.calls, 0);
});
