import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { reserveStorage, settleStorage, storeBytes } from '../../shared/uploads/storage.ts';
import { testAssay } from '../support/assay.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const disk = () => {
  const time = { now: START };
  const clock = { now: () => time.now, newId: () => 'id' };
  const context = { table: memoryTable(clock), clock, storageBytes: 100 };
  const isTaken = (tenant: string, bytes: number) =>
    reserveStorage(context, tenant, bytes).then(
      () => true,
      ({ code }: { code: string }) => code !== 'PaymentRequired' && assert.fail(code),
    );
  return { time, context, isTaken };
};

describe('storage limit of a tenant', () => {
  test('X.07 concurrent announcements never reserve more than the limit, and another tenant has its own', async () => {
    const { isTaken } = disk();

    const taken = await Promise.all(Array.from({ length: 25 }, () => isTaken('acme', 10)));

    assert.equal(taken.filter((each) => each).length, 10);
    assert.equal(await isTaken('other', 100), true);
  });

  test('a picture smaller than announced releases the rest, and counts until it has been stored for 30 days', async () => {
    const { time, context, isTaken } = disk();
    assert.equal(await isTaken('acme', 100), true);
    assert.equal(await isTaken('acme', 1), false);

    await settleStorage(context, 'acme', { at: START, bytes: 100 }, 40);

    assert.equal(await isTaken('acme', 61), false);
    assert.equal(await isTaken('acme', 60), true);
    time.now = START + 29 * DAY;
    assert.equal(await isTaken('acme', 61), false);
    time.now = START + 31 * DAY;
    assert.equal(await isTaken('acme', 100), true);
  });

  test('an announced picture that was never uploaded stops counting once its URL expires', async () => {
    const { time, isTaken } = disk();
    assert.equal(await isTaken('acme', 100), true);

    time.now = START + 14 * MINUTE;
    assert.equal(await isTaken('acme', 1), false);
    time.now = START + 31 * MINUTE;
    assert.equal(await isTaken('acme', 100), true);
  });

  test('a picture uploaded after its reservation lapsed still counts', async () => {
    const { time, context, isTaken } = disk();
    await reserveStorage(context, 'acme', 50);
    time.now = START + 60 * MINUTE;

    await settleStorage(context, 'acme', { at: START, bytes: 50 }, 50);

    assert.equal(await isTaken('acme', 51), false);
    assert.equal(await isTaken('acme', 50), true);
  });

  test('generated pictures count towards storage, and the refusal says what is used and what to do', async () => {
    const { context } = disk();
    await storeBytes(context, 'acme', 90);

    await assert.rejects(
      storeBytes(context, 'acme', 11),
      /take 90 of 100 bytes, which leaves no room for 11 more; wait/,
    );
  });

  test('POST /v1/uploads refuses what exceeds the tenant’s storage limit', async () => {
    const signPut = async () => ({ url: 'http://127.0.0.1/x', headers: {}, expires_at: '2026-03-01T12:15:00Z' });
    const { json } = await testAssay({ signPut, storageBytes: 150 * 2 ** 20 });
    const announce = (size?: number) => json('POST', '/v1/uploads', { content_type: 'image/png', size });

    assert.equal((await announce()).status, 201);
    const { status, body } = await announce();
    assert.equal(status, 402, 'without a size the largest picture is expected');
    assert.match(JSON.stringify(body), /announce the exact size/);
    assert.equal((await announce(1000)).status, 201);
  });
});
