import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminActor } from '../../shared/access/scopes.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { takeBatch } from '../../shared/execute/batch.ts';
import { callFolds } from '../../shared/execute/billing/usage.ts';
import { listExecutions } from '../../shared/execute/executions.ts';
import { createRecorder } from '../../shared/execute/recorder.ts';
import { readStats } from '../../shared/insight/read-stats.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { createFairTurns } from '../../shared/kernel/fair-turns.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { memoryLog, testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { aRecord as anyRecord } from '../support/records.ts';

const clock = standingClock();
const aRecord = (fields: Partial<CallRecord> = {}): CallRecord =>
  anyRecord({ call_id: clock.newId(), output: 1, at: new Date(clock.now()).toISOString(), ...fields });

const count = async (table: Table, tenant = 'default') =>
  (await listExecutions({ table, clock, turns: createFairTurns(clock) }, adminActor(tenant), { limit: 10_000 }))
    .executions.length;

describe('the recorder', () => {
  test('the recorder stores many records in few transactions, with statistics that agree', async () => {
    let changes = 0;
    const memory = memoryTable({ now: clock.now });
    const table: Table = {
      ...memory,
      change: (keys, rule) => {
        changes++;
        return memory.change(keys, rule);
      },
    };
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: callFolds });
    for (let n = 0; n < 400; n++) {
      const failed = { status: 'failed', error: { type: 'Error', message: 'no' } } as const;
      recorder.keep('default', aRecord(n % 4 === 3 ? failed : {}), false);
    }

    await recorder.flush();

    assert.equal(await count(table), 400);
    const stats = await readStats(table, 'default', 'add', '1.0.0');
    assert.deepEqual([stats?.calls, stats?.successes, stats?.failures], [400, 300, { Error: 100 }]);
    assert.ok(changes < 20, `${changes} changes`);
  });

  test('the recorder stores on its own within its delay, and an urgent record before it answers', async () => {
    const table = memoryTable({ now: clock.now });
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: callFolds, delayMs: 10 });

    assert.equal(recorder.keep('default', aRecord(), false), undefined);
    await sleep(60);
    assert.equal(await count(table), 1);
    await recorder.keep('default', aRecord(), true);
    assert.equal(await count(table), 2);
  });

  test('without a delay every record is stored before its call is answered', async () => {
    const table = memoryTable({ now: clock.now });
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: callFolds, delayMs: 0 });

    await recorder.keep('default', aRecord(), false);

    assert.equal(await count(table), 1);
  });

  test('the recorder keeps what the table refused, logs it, and counts it once when it is stored', async () => {
    let refusals = 2;
    const memory = memoryTable({ now: clock.now });
    const table: Table = {
      ...memory,
      change: async (keys, rule) => {
        if (refusals-- > 0) throw new Fault('Unavailable', 'locked');
        return memory.change(keys, rule);
      },
    };
    const log = memoryLog();
    const recorder = createRecorder({ table, timers: systemTimers, log, folds: callFolds });
    for (let n = 0; n < 10; n++) recorder.keep('default', aRecord(), false);

    await assert.rejects(recorder.flush(), /locked/);
    await assert.rejects(recorder.flush(), /locked/);
    await recorder.flush();

    assert.equal(await count(table), 10);
    assert.equal((await readStats(table, 'default', 'add', '1.0.0'))?.calls, 10);
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2);
  });

  for (const streams of [false, true])
    test(`a record that the table refuses is lost alone, ${streams ? 'with' : 'without'} a stream`, async () => {
      const table: Table = { ...memoryTable({ now: clock.now }), streams };
      const log = memoryLog();
      const recorder = createRecorder({ table, timers: systemTimers, log, folds: callFolds });
      const tooLarge = recorder.keep('default', aRecord({ request_id: 'x'.repeat(500_000) }), true);
      const others = ['default', 'another'].map((tenant) => recorder.keep(tenant, aRecord(), true));

      await Promise.all([assert.rejects(async () => tooLarge, /an item has at most/), ...others]);

      assert.deepEqual([await count(table), await count(table, 'another')], [1, 1]);
      assert.deepEqual(
        log.lines.map(({ message, fields }) => [message, fields.tenant]),
        [['record lost', 'default']],
      );
    });

  test('a process whose last records cannot be stored still closes its table, and says why', async () => {
    let [isFull, isClosed] = [false, false];
    const memory = memoryTable({ now: clock.now });
    const table: Table = {
      ...memory,
      change: async (keys, rule) => {
        if (isFull) throw new Fault('Unavailable', 'the disk is full');
        return memory.change(keys, rule);
      },
      close: async () => {
        isClosed = true;
      },
    };
    const { assay } = await testAssay({ table, clock });
    isFull = true;
    void assay.recorder.keep('default', aRecord(), false);

    await assert.rejects(assay.close(), /the disk is full/);

    assert.equal(isClosed, true);
  });

  test('X.04 a call whose stored row cannot be read fails alone', async () => {
    const table = memoryTable({ now: clock.now });
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: callFolds });
    const [altered, intact] = [aRecord(), aRecord()];
    await table.write([{ put: callKey('default', altered.call_id), body: { v: 99 } }]);

    const ends = [altered, intact].map((record) => recorder.keepOnce('default', record));

    await assert.rejects(async () => ends[0], /newer release/);
    await ends[1];
  });

  test('on a table with a stream the recorder writes only the records and their hour', async () => {
    const memory = memoryTable({ now: clock.now });
    const table: Table = { ...memory, streams: true };
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: callFolds });
    for (let n = 0; n < 60; n++) recorder.keep('default', aRecord(), false);

    await recorder.flush();

    assert.equal(await count(table), 60);
    assert.equal(await readStats(table, 'default', 'add', '1.0.0'), undefined);
  });

  test('no batch exceeds a transaction, whatever tools, keys and failures are in it', async () => {
    const table = memoryTable({ now: clock.now });
    const recorder = createRecorder({ table, timers: systemTimers, log: memoryLog(), folds: callFolds });
    for (let n = 0; n < 300; n++) {
      const error = { type: 'Error', message: 'no' };
      recorder.keep(
        `t${n % 3}`,
        aRecord({ tool: `tool_${n}`, key: `k${n}`, status: 'failed', error, charged_micros: 5 }),
        false,
      );
    }

    await recorder.flush();

    assert.equal((await count(table, 't0')) + (await count(table, 't1')) + (await count(table, 't2')), 300);
  });

  test('a batch of calls that blacklist their tools and clear them again fits one transaction', async () => {
    const table = memoryTable({ now: clock.now });
    const log = memoryLog();
    const recorder = createRecorder({ table, timers: systemTimers, log, folds: callFolds });
    const error = { type: 'Error', message: 'no' };
    const DAY = 86_400_000;
    for (let n = 0; n < 600; n++) {
      const at = new Date(clock.now() + n * 2 * DAY).toISOString();
      const failed = { status: 'failed', error } as const;
      recorder.keep('default', aRecord({ tool: `tool_${n % 2}`, at, ...(n % 14 < 12 ? failed : {}) }), false);
    }

    await recorder.flush();

    assert.deepEqual(log.lines, []);
    const { block } = (await readStats(table, 'default', 'tool_0', '1.0.0')) ?? {};
    assert.equal((block?.times ?? 0) > 0, true);
  });

  test('ninety successes of one tool are one batch', () => {
    const waiting = Array.from({ length: 120 }, () => ({ tenant: 'default', record: aRecord() }));

    assert.equal(takeBatch(waiting, callFolds).entries.length >= 90, true);
  });

  test('a batch takes all records of the tenant that waited longest, in order', () => {
    const waiting = ['a', 'b', 'a', 'a'].map((tenant, n) => ({ tenant, record: aRecord({ arguments: n }) }));

    const batch = takeBatch(waiting, callFolds);

    assert.deepEqual(
      batch.entries.map(({ record }) => record.arguments),
      [0, 2, 3],
    );
    assert.deepEqual(
      waiting.map(({ tenant }) => tenant),
      ['b'],
    );
  });
});
