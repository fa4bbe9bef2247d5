import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ulid } from 'ulid';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { Verification } from '../../shared/execute/billing/verify-usage.ts';
import { usageKey } from '../../shared/kernel/item-keys.ts';
import { quotaKey } from '../../shared/kernel/quota-keys.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const month = '2026-03';
const path = `/v1/usage/verification?month=${month}`;
const invoke = '/v1/tools/weather_lookup/invoke';
const bern = { arguments: { city: 'Bern' } };

/** A key with a quota that has called a tool three times, on a clock that can be set. */
const used = async () => {
  const time = { now: Date.parse('2026-03-05T12:00:00Z') };
  const clock = { now: () => time.now, newId: () => ulid(time.now) };
  const table = memoryTable({ now: clock.now });
  const given = await testAssay({ prices: { operations: {}, tools: {}, cached_share: 0.1 }, clock, table });
  await given.json('POST', '/v1/tools', aTool({ price_micros: 5 }));
  const payer = await given.key({ scopes: ['invoke'], quota: { calls: 100 } });
  const call = async () => (await given.json('POST', invoke, bern, payer)).status;
  for (let count = 0; count < 3; count++) assert.equal(await call(), 200);
  const verify = async () => (await given.json<Verification>('GET', path)).body;
  const settle = async () => (await given.json<Verification>('POST', path)).body;
  return { ...given, table, time, call, verify, settle, id: payer.split('_')[1] ?? '' };
};

describe('verifying a month’s usage', () => {
  test('a difference is reported with its likely cause, and settling repairs quota and usage from the ledger', async () => {
    const { table, id, verify, settle, call } = await used();
    await table.count(quotaKey(id, month), { calls: 4, micros: 20 });
    const totals = usageKey('default', month, id, 'weather_lookup');
    await table.change([totals], ([item]) => ({
      writes: [{ put: totals, body: { ...item?.body, calls: 1 } }],
      result: undefined,
    }));

    const found = (await verify()).differences.map(({ what, ledger, stored, why }) => [
      what,
      ledger.calls,
      stored.calls,
      /settle/.test(why),
    ]);
    assert.deepEqual(found, [
      ['quota', 3, 7, true],
      ['usage', 3, 1, true],
    ]);
    const { settled, differences } = await settle();

    assert.deepEqual([settled, differences], [[id], []]);
    assert.equal(await call(), 200);
    assert.deepEqual((await verify()).differences, []);
  });

  test('settling while calls run loses none of them', async () => {
    const { table, id, settle, verify, call } = await used();
    await table.count(quotaKey(id, month), { calls: 9, micros: 45 });

    const [, ...statuses] = await Promise.all([settle(), ...Array.from({ length: 40 }, call)]);
    await settle();

    assert.ok(statuses.every((status) => status === 200));
    const { ledger, differences } = await verify();
    assert.deepEqual([ledger, differences], [{ calls: 43, micros: 215 }, []]);
    const { calls, micros } = (await table.get(quotaKey(id, month)))?.body ?? {};
    assert.deepEqual([calls, micros], [43, 215]);
  });

  test('reservations of a crashed process count as a difference only once they cannot be in flight', async () => {
    const { assay, id, time, verify, settle } = await used();
    const about = { tenant: 'default', keyId: id, tool: 'weather_lookup', version: '1.0.0', priceMicros: 5 };
    await assay.meter.reserve({
      ...about,
      id: ulid(time.now),
      quota: { calls: 100 },
      at: time.now,
      timeoutMs: 60_000,
    });

    assert.deepEqual((await verify()).differences, []);
    time.now += 120_000;
    const [difference] = (await verify()).differences;
    assert.match(difference?.why ?? '', /^1 reservations of processes that ended/);
    assert.deepEqual((await settle()).differences, []);
  });

  test('a month whose rows have expired is closed with a checksum, and is not settled', async () => {
    const { table, id, time, verify, json } = await used();
    time.now = Date.parse('2026-04-15T00:00:00Z');

    const { closed, differences, ledger } = await verify();
    const refused = await json<{ error: { message: string } }>('POST', path);

    assert.match(closed?.checksum ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual([differences, ledger], [[], { calls: 3, micros: 15 }]);
    assert.equal(refused.status, 409);
    assert.match(refused.body.error.message, /2026-03 is closed/);
    const totals = usageKey('default', month, id, 'weather_lookup');
    await table.write([{ put: totals, body: { v: 1, key: id, tool: 'weather_lookup', calls: 9, micros: 45 } }]);
    assert.match((await verify()).differences[0]?.why ?? '', /changed since it was archived/);
  });
});
