import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { handleStream } from '../../functions/stream/handle.ts';
import { eventBridgeSink } from '../../shared/adapters/aws/event-bridge.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { callFolds } from '../../shared/execute/billing/usage.ts';
import { foldStream, type StreamChange } from '../../shared/execute/fold-stream.ts';
import { readStats } from '../../shared/insight/read-stats.ts';
import { callKey } from '../../shared/kernel/item-keys.ts';
import type { Key, Table } from '../../shared/kernel/ports.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { type ChangeEvent, readEvents } from '../../shared/registry/events.ts';
import { standingClock } from '../support/clock.ts';
import { aRecord } from '../support/records.ts';

const clock = standingClock();

const aCall = (n: number, fields: Partial<CallRecord> = {}): CallRecord =>
  aRecord({
    call_id: `01JBXQ0000${String(n).padStart(16, '0')}`,
    tool: `tool_${n % 3}`,
    status: n % 4 === 3 ? 'failed' : 'ok',
    duration_ms: n / 8,
    key: `k${n % 2}`,
    ...fields,
  });

const inserted = (n: number, tenant = 'default', fields: Partial<CallRecord> = {}): StreamChange => {
  const record = aCall(n, fields);
  const key = callKey(tenant, record.call_id);
  const after = { key, revision: 1, body: { v: 1, ...record } };
  return { eventId: `event-${n}`, sequence: String(1_000_000 + n * 10), key, after, isExpiry: false };
};

const setting = () => {
  const table: Table = { ...memoryTable({ now: clock.now }), streams: true };
  return { table, clock, folds: callFolds };
};

const total = async (table: Table): Promise<readonly [calls: number, us: number]> => {
  let [calls, us] = [0, 0];
  for (const n of [0, 1, 2]) {
    const stats = await readStats(table, 'default', `tool_${n}`, '1.0.0');
    calls += stats?.calls ?? 0;
    us += stats?.total_us ?? 0;
  }
  return [calls, us];
};

describe('counting calls from the stream', () => {
  for (const shard of ['shard-1', undefined])
    test(`the stream counts every call once ${shard === undefined ? 'by its event' : 'by its shard’s checkpoint'}, whatever is repeated`, async () => {
      const starts = fc.array(fc.integer({ min: 0, max: 59 }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(starts, async (repeats) => {
          const context = setting();
          const changes = Array.from({ length: 60 }, (_, n) => inserted(n));
          let done = 0;
          // A batch that is repeated begins again somewhere before where the stream had got to.
          for (const start of [...repeats, 0]) {
            const from = Math.min(start, done);
            const to = Math.max(done, Math.min(60, from + 25));
            await foldStream(context, changes.slice(from, to), shard);
            done = to;
          }
          await foldStream(context, changes.slice(done), shard);
          await foldStream(context, changes, shard);

          const us = changes.reduce((sum, { after }) => sum + Math.round(Number(after?.body.duration_ms) * 1000), 0);
          assert.deepEqual(await total(context.table), [60, us]);
        }),
        { numRuns: 15 },
      );
    });

  test('the stream’s sequence numbers are compared as numbers, and order a batch', async () => {
    const context = setting();
    const [early, late] = [inserted(1), inserted(2)].map((change, at) => ({
      ...change,
      sequence: ['999', '1000'][at] ?? '',
    }));
    assert.ok(early && late);

    await foldStream(context, [early], 's');
    await foldStream(context, [late, early], 's');
    assert.equal((await total(context.table))[0], 2);

    const other = setting();
    await foldStream(other, [late, early], 's');
    await foldStream(other, [late], 's');
    assert.equal((await total(other.table))[0], 2);
  });

  test('the stream counts a call when it ends, not when it is reserved, and not again when it is changed', async () => {
    const context = setting();
    const ended = inserted(1);
    assert.ok(ended.after);
    const reserved = { ...ended.after, body: { ...ended.after.body, status: 'reserved' } };

    await foldStream(context, [{ ...ended, eventId: 'a', sequence: '1', after: reserved }], 's');
    assert.equal((await total(context.table))[0], 0);
    await foldStream(context, [{ ...ended, eventId: 'b', sequence: '2', before: reserved }], 's');
    await foldStream(context, [{ ...ended, eventId: 'c', sequence: '3', before: ended.after }], 's');
    assert.equal((await total(context.table))[0], 1);
  });

  test('stream batches of many tools, keys and tenants, with failures, fit their transactions', async () => {
    const context = setting();
    const changes = Array.from({ length: 300 }, (_, n) =>
      inserted(n, `t${n % 5}`, {
        tool: `tool_${n}`,
        key: `k${n}`,
        status: 'failed',
        error: { type: 'E', message: '' },
      }),
    );

    await foldStream(context, changes, 's');
    await foldStream(setting(), changes, undefined);

    const stats = await readStats(context.table, 't2', 'tool_207', '1.0.0');
    assert.equal(stats?.calls, 1);
    assert.equal((await readEvents(context.table, 't2', 0, 1000)).length, 60);
  });
});

describe('the stream function', () => {
  const image = (change: StreamChange) => ({
    pk: { S: change.key.pk },
    sk: { S: change.key.sk },
    revision: { N: '1' },
    stamp: { S: 'x' },
    body: { S: JSON.stringify(change.after?.body ?? {}) },
  });

  test('the stream function counts calls, forwards events, publishes changes, and ignores expired items', async () => {
    const context = setting();
    const delivered: ChangeEvent[] = [];
    const published: Key[] = [];
    const deliver = async (events: readonly ChangeEvent[]) => void delivered.push(...events);
    const publish = async (changed: readonly Key[]) => void published.push(...changed);
    const call = inserted(3);
    const event = { type: 'tool-registered', id: '7', tenant: 'default', tool: 'x', at: '2026-11-05T12:00:00.000Z' };
    const placed: StreamChange = {
      ...call,
      key: { pk: 'T#default#EVENTS', sk: 'EVENT#000000000007' },
      after: { key: call.key, revision: 1, body: { v: 1, ...event } },
    };
    const record = (change: StreamChange, eventName: 'INSERT' | 'REMOVE', extra: object = {}) => ({
      eventID: change.sequence,
      eventName,
      dynamodb: {
        Keys: { pk: { S: change.key.pk }, sk: { S: change.key.sk } },
        SequenceNumber: change.sequence,
        NewImage: image(change),
      },
      ...extra,
    });
    const expired = record(inserted(9), 'REMOVE', {
      userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
    });

    const answer = await handleStream(
      { fold: context, deliver, publish },
      { Records: [record(call, 'INSERT'), record(placed, 'INSERT'), expired], shardId: 's', state: { kept: 1 } },
    );

    assert.deepEqual(answer, { state: { kept: 1 }, batchItemFailures: [] });
    assert.equal((await total(context.table))[0], 1);
    assert.deepEqual(delivered, [event]);
    assert.deepEqual(
      published.map(({ pk }) => pk),
      [call.key.pk, 'T#default#EVENTS'],
    );
    assert.deepEqual(await handleStream({ fold: context }, {}), { state: {}, batchItemFailures: [] });
  });

  test('R4.09f the stream function puts events on the bus, ten at a time, and fails when one is rejected', async () => {
    const sent: { Entries: { DetailType: string; Detail: string; EventBusName: string }[] }[] = [];
    let refused = 0;
    const client = {
      send: async ({ input }: { input: never }) => {
        sent.push(input);
        return {
          FailedEntryCount: refused,
          Entries: [{ ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' }],
        };
      },
    };
    const events = Array.from(
      { length: 23 },
      (_, n): ChangeEvent => ({
        id: String(n),
        type: 'call-failed',
        tenant: 'default',
        tool: 'x',
        at: '2026-11-05T12:00:00.000Z',
      }),
    );
    const sink = eventBridgeSink(client as never, 'the-bus');

    await sink(events);
    refused = 1;

    assert.deepEqual(
      sent.map(({ Entries }) => Entries.length),
      [10, 10, 3],
    );
    assert.deepEqual([sent[0]?.Entries[0]?.DetailType, sent[0]?.Entries[0]?.EventBusName], ['call-failed', 'the-bus']);
    assert.deepEqual(JSON.parse(sent[2]?.Entries[2]?.Detail ?? ''), events[22]);
    await assert.rejects(sink(events), /1 events were not taken: ThrottlingException slow down/);
  });
});
