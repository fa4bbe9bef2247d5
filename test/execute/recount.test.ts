import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { createMeter } from '../../shared/execute/billing/quota.ts';
import { createRecount } from '../../shared/execute/billing/recount.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { quotaKey } from '../../shared/kernel/quota-keys.ts';
import { recordingLog } from '../support/recording-log.ts';

const at = Date.parse('2026-03-05T12:00:00Z');
const month = '2026-03';
const quota = { calls: 1 };
const prices = { operations: {}, tools: {}, cached_share: 1 };
const [first, refused] = ['01KJYXXBCYAWSFP26H85FFR2E1', '01KJYXXBCYAWSFP26H85FFR2E2'];
const call = (id: string) => {
  const about = { tenant: 'default', keyId: 'k', tool: 't', version: '1.0.0', priceMicros: 3 };
  return { ...about, id, quota, at, timeoutMs: 1000 };
};

test('X.04 a call that is refused while a recount marks its row is not counted by that recount', async () => {
  const clock = { now: () => at };
  const log = recordingLog();
  const table = memoryTable({ now: clock.now });
  await createMeter({ table, clock, log, prices }).reserve(call(first));
  // Up to date, so that the refused call does not recount by itself.
  await createRecount({ table, clock, log })('default', 'k', month, { isForced: true });
  const [isMarked, isRefused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const recountTable: Table = {
    ...table,
    async change(keys, rule) {
      if (keys[0]?.pk === quotaKey('k', month).pk) await isRefused.promise;
      const changed = await table.change(keys, rule);
      if (keys[0]?.sk === callKey('default', refused).sk) isMarked.resolve();
      return changed;
    },
  };
  let recounting: Promise<unknown> | undefined;
  const refusingTable: Table = {
    ...table,
    async count(...given) {
      const counted = await table.count(...given);
      // The row is there and the quota is used up: the recount sees it before it is taken back.
      recounting ??= createRecount({ table: recountTable, clock, log })('default', 'k', month, { isForced: true });
      await isMarked.promise;
      return counted;
    },
  };

  const meter = createMeter({ table: refusingTable, clock, log, prices });
  await assert.rejects(async () => meter.reserve(call(refused)), /1 of 1 calls/);
  isRefused.resolve();
  await recounting;

  const { calls, micros } = (await table.get(quotaKey('k', month)))?.body ?? {};
  assert.deepEqual({ calls, micros }, { calls: 1, micros: 3 });
});
