import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { adminActor } from '../../shared/access/scopes.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { callFolds, readUsage } from '../../shared/execute/billing/usage.ts';
import { foldStream, type StreamChange } from '../../shared/execute/fold-stream.ts';
import { createFolding } from '../../shared/insight/fold.ts';
import { listedTools, takeOffList } from '../../shared/insight/lists.ts';
import { readAllStats, readStats } from '../../shared/insight/read-stats.ts';
import { totalsItems } from '../../shared/insight/read-totals.ts';
import type { StatsTotal } from '../../shared/insight/stats.ts';
import { callKey, poisonKey, statsPk } from '../../shared/kernel/item-keys.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { readEvents } from '../../shared/registry/events.ts';
import { aRecord } from '../support/records.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-05T12:00:00.000Z');

const setting = () => {
  const world = { now: START };
  const clock = { now: () => world.now };
  const table: Table = { ...memoryTable(clock), streams: true };
  const errors: string[] = [];
  const log = { error: (message: string) => void errors.push(message) };
  return { world, table, clock, folds: callFolds, log, errors };
};

const change = (n: number, fields: Partial<CallRecord> = {}, tenant = 'default'): StreamChange => {
  const call_id = `01JBXQ0000${String(n).padStart(16, '0')}`;
  const at = new Date(START + n * 10).toISOString();
  const record = aRecord({ call_id, at, tool: 'add', version: '1.0.0', key: 'k', status: 'ok', ...fields });
  const key = callKey(tenant, call_id);
  return {
    eventId: `e${n}`,
    sequence: String(1000 + n),
    key,
    after: { key, revision: 1, body: { v: 1, ...record } },
    isExpiry: false,
  };
};
const failed = (n: number, fields: Partial<CallRecord> = {}) =>
  change(n, { status: 'failed', error: { type: 'RangeError', message: 'no' }, ...fields });

/** What the calls add up to when they are folded one table at a time, as on SQLite. */
const plain = (changes: readonly StreamChange[]): readonly StatsTotal[] => {
  const records = changes.map(({ after }) => after?.body as unknown as CallRecord);
  const { writes } = createFolding(callFolds, 'default', records).fold([]);
  return writes
    .flatMap((write) =>
      'put' in write && write.put.pk === statsPk('default') ? [write.body as unknown as StatsTotal] : [],
    )
    .sort((a, b) => (`${a.tool}#${a.version}` < `${b.tool}#${b.version}` ? -1 : 1));
};
const counted = ({
  tool,
  version,
  calls,
  successes,
  failures,
  refused,
  cached,
  total_us,
  histogram,
  last_at,
}: StatsTotal) => ({
  ...{ tool, version, calls, successes, failures, refused, cached, total_us, histogram, last_at },
});

const aCall = fc.record({
  tool: fc.integer({ min: 0, max: 120 }).map((n) => `a_tool_with_a_longer_name_${n}`),
  key: fc.integer({ min: 0, max: 9 }).map((n) => `key${n}`),
  status: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'refused'),
  duration_ms: fc.integer({ min: 0, max: 5_000_000 }).map((us) => us / 1000),
  shard: fc.integer({ min: 0, max: 3 }),
});

describe('statistics by shard', () => {
  test('R1.28 a tool blocked from the stream is taken off the blacklist', async () => {
    const { table, ...rest } = setting();
    await foldStream(
      { table, ...rest },
      [1, 2, 3, 4, 5].map((n) => failed(n)),
      's',
    );
    assert.deepEqual(
      (await listedTools({ table }, adminActor(), 'blacklist')).map(({ name }) => name),
      ['add'],
    );

    await takeOffList({ table }, adminActor(), 'blacklist', 'add');

    assert.deepEqual(await listedTools({ table }, adminActor(), 'blacklist'), []);
    assert.equal((await readStats(table, 'default', 'add', '1.0.0'))?.block, undefined);
  });

  for (const isCompacted of [false, true])
    test(`R1.28 a tool taken off the blacklist comes back only after five more failures${isCompacted ? ', also when its shards were compacted since' : ''}`, async () => {
      const { world, ...context } = setting();
      const { table } = context;
      const names = async () => (await listedTools({ table }, adminActor(), 'blacklist')).map(({ name }) => name);
      await Promise.all([1, 2, 3, 4, 5, 6].map((n) => foldStream(context, [failed(n)], `s${n % 3}`)));
      assert.deepEqual(await names(), ['add']);
      await takeOffList({ table }, adminActor(), 'blacklist', 'add');
      if (isCompacted) world.now += 26 * HOUR;

      const seen = [];
      for (let n = 11; n <= 15; n++) {
        await foldStream(context, [failed(n)], `${isCompacted}${n % 2}`);
        seen.push((await names()).length);
      }

      assert.deepEqual(seen, [0, 0, 0, 0, 1]);
      assert.equal((await readStats(table, 'default', 'add', '1.0.0'))?.calls, 11);
    });

  test('X.25 forty tools that are blocked in one batch fit their transactions', async () => {
    const { table, clock, ...rest } = setting();
    const tools = Array.from({ length: 40 }, (_, n) => `tool_${n}`);
    const round = (at: number) => tools.map((tool, n) => failed(at * 40 + n, { tool }));
    await foldStream({ table, clock, ...rest }, [0, 1, 2, 3].flatMap(round), 's');

    await foldStream({ table, clock, ...rest }, round(4), 's');

    const events = await readEvents(table, 'default', 0, 1000);
    const countOf = (type: string) => events.filter((event) => event.type === type).length;
    assert.deepEqual([countOf('call-failed'), countOf('tool-blacklisted')], [200, 40]);
  });

  test('X.25 shard totals add up to what one table would hold, whatever is repeated, split or compacted, in items of at most 4 KB', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aCall, { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 1, max: 90 }),
        async (calls, size) => {
          const context = setting();
          const changes = calls.map(({ shard: _, ...fields }, n) =>
            fields.status === 'failed'
              ? failed(n, fields as Partial<CallRecord>)
              : change(n, fields as Partial<CallRecord>),
          );
          const shards = [...Map.groupBy(changes, (_, n) => calls[n]?.shard ?? 0)];
          for (const [shard, own] of shards)
            for (let at = 0; at < own.length; at += size) {
              const batch = own.slice(Math.max(0, at - 7), at + size);
              await Promise.all([foldStream(context, batch, `s${shard}`), foldStream(context, batch, `s${shard}`)]);
            }
          const check = async (): Promise<void> => {
            assert.deepEqual((await readAllStats(context.table, 'default')).map(counted), plain(changes).map(counted));
            const usage = await readUsage(context.table, 'default', '2026-11', () => true);
            assert.equal(usage.calls, calls.filter(({ status }) => status === 'ok').length);
          };
          await check();
          for (const { body } of await totalsItems(context.table, 'default'))
            assert.ok(JSON.stringify(body).length <= 4096, `${JSON.stringify(body).length} bytes`);
          context.world.now += 26 * HOUR;
          await foldStream(context, [change(999_999)], 'later');
          changes.push(change(999_999));
          calls.push({ tool: 'add', key: 'k', status: 'ok', duration_ms: 1, shard: 0 });
          await check();
          assert.ok((await context.table.query(statsPk('default'))).items.length > 0);
          // The shard that was compacted tells its last records once more.
          for (const [shard, own] of shards) await foldStream(context, own, `s${shard}`);
          await check();
          assert.equal((await readStats(context.table, 'default', 'add', '1.0.0'))?.calls, 1);
        },
      ),
      { numRuns: 12 },
    );
  });

  test('failures in five shards together blacklist a tool, once, and a successful trial takes it off', async () => {
    const context = setting();
    for (let n = 0; n < 5; n++) await foldStream(context, [failed(n)], `s${n}`);
    for (let n = 0; n < 5; n++) await foldStream(context, [failed(n)], `s${n}`);

    const put = await readStats(context.table, 'default', 'add', '1.0.0');
    assert.equal(put?.block?.reason, 'failed 5 times in a row');
    const types = async () => (await readEvents(context.table, 'default', 0, 100)).map(({ type }) => type);
    assert.deepEqual(await types(), [...Array(5).fill('call-failed'), 'tool-blacklisted']);

    const later = new Date(START + HOUR).toISOString();
    await foldStream(context, [change(50, { at: later })], 's9');
    assert.equal((await readStats(context.table, 'default', 'add', '1.0.0'))?.block, undefined);
    assert.equal((await types()).at(-1), 'tool-reinstated');
  });

  test('a success in another shard ends a series of failures', async () => {
    const context = setting();
    await foldStream(context, [failed(0), failed(1), failed(2)], 'a');
    await foldStream(context, [change(3)], 'b');
    await foldStream(context, [failed(4), failed(5)], 'c');

    const stats = await readStats(context.table, 'default', 'add', '1.0.0');
    assert.equal(stats?.failed_in_a_row, 2);
    assert.equal(stats?.block, undefined);
  });

  test('an unreadable record is set aside and reported, and the rest is counted', async () => {
    const context = setting();
    const poison = change(1, { duration_ms: 'long' as never });
    await foldStream(context, [change(0), poison, change(2)], 's');

    assert.equal((await readStats(context.table, 'default', 'add', '1.0.0'))?.calls, 2);
    assert.deepEqual(context.errors, ['stream record set aside']);
    assert.ok(await context.table.get(poisonKey('e1')));
  });
});
