import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addValues, mergeHistograms, valueAtQuantile } from '../../shared/insight/histogram.ts';
import { mergeStats } from '../../shared/insight/merge-stats.ts';
import { addCalls, emptyStats } from '../../shared/insight/stats.ts';
import { type StatsView, viewStats } from '../../shared/insight/stats-view.ts';
import type { CallRecord } from '../../shared/model/call-record.ts';
import { assayWith } from '../support/execution.ts';
import { aRecord } from '../support/records.ts';

describe('latency histograms', () => {
  const values = fc.array(fc.integer({ min: 1, max: 900_000_000 }), { minLength: 1, maxLength: 200 });
  const histogramOf = (all: readonly number[]) => addValues({}, all);

  test('a histogram gives every quantile within one per cent', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const exact = all.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * all.length) - 1)] ?? 0;
        const found = valueAtQuantile(histogramOf(all), share) ?? 0;
        assert.ok(Math.abs(found - exact) <= exact * 0.011, `${found} for ${exact}`);
      }),
    );
  });

  test('two merged histograms are the histogram of all their values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        assert.deepEqual(mergeHistograms(histogramOf(a), histogramOf(b)), histogramOf([...a, ...b]));
      }),
    );
  });

  test('an empty histogram has no quantiles', () => assert.equal(valueAtQuantile({}, 0.5), undefined));
});

describe('statistics', () => {
  const records = fc.array(
    fc.record({
      status: fc.constantFrom('ok', 'failed', 'refused'),
      duration_ms: fc.integer({ min: 0, max: 5_000_000 }).map((us) => us / 1000),
      cached: fc.boolean(),
      at: fc.integer({ min: 0, max: 90 * 86_400_000 }).map((ms) => new Date(1_760_000_000_000 + ms).toISOString()),
    }),
    { maxLength: 60 },
  );
  const fold = (all: readonly Partial<CallRecord>[]) =>
    addCalls(
      emptyStats('add', '1.0.0'),
      all.map((fields) => aRecord(fields)),
    ).stats;

  test('statistics add up exactly, in whatever order calls are added', () => {
    fc.assert(
      fc.property(records, (all) => {
        const ran = all.filter(({ status }) => status !== 'refused');
        const total = ran
          .filter(({ cached }) => !cached)
          .reduce((sum, { duration_ms: ms }) => sum + Math.round(ms * 1000), 0);
        const view = viewStats(fold(all as Partial<CallRecord>[]));
        const reversed = viewStats(fold((all as Partial<CallRecord>[]).toReversed()));

        assert.equal(view.calls, ran.length);
        assert.equal(view.successes, ran.filter(({ status }) => status === 'ok').length);
        assert.equal(view.failures, view.calls - view.successes);
        assert.equal(view.total_ms, total / 1000);
        assert.deepEqual(reversed, view);
      }),
    );
  });

  test('merging statistics of two versions gives those of all their calls', () => {
    fc.assert(
      fc.property(records, records, (a, b) => {
        const together = viewStats(fold([...a, ...b] as Partial<CallRecord>[]));
        const merged = viewStats(mergeStats(fold(a as Partial<CallRecord>[]), fold(b as Partial<CallRecord>[])));
        assert.deepEqual(merged, together);
      }),
    );
  });

  test('statistics count failures by type, and those beyond twenty types together', () => {
    const view = viewStats(
      fold(Array.from({ length: 30 }, (_, n) => ({ status: 'failed', error: { type: `E${n}`, message: '' } }))),
    );

    assert.equal(Object.keys(view.failures_by_type).length, 21);
    assert.equal(view.failures_by_type.other, 10);
  });

  test('R1.15 calls, success rate and mean duration are available over HTTP', async () => {
    const run = async ({ n }: { readonly n?: unknown }) => (n === 3 ? Promise.reject(new TypeError('three')) : n);
    const { json, invoke } = await assayWith({ count: run });
    const durations: number[] = [];
    for (let n = 0; n < 10; n++) durations.push((await invoke('count', { n })).body.duration_ms);
    await json('POST', '/v1/tools/count/invoke', { arguments: 5 });

    const { body } = await json<StatsView>('GET', '/v1/tools/count/stats');

    assert.deepEqual(
      [body.tool, body.version, body.calls, body.successes, body.failures, body.success_rate],
      ['count', 'unversioned', 10, 9, 1, 0.9],
    );
    assert.deepEqual(body.failures_by_type, { TypeError: 1 });
    const mean = durations.reduce((sum, ms) => sum + ms, 0) / 10;
    assert.ok(Math.abs((body.mean_ms ?? 0) - mean) < 0.001);
    const [fastest, slowest] = [Math.min(...durations), Math.max(...durations)];
    for (const quantile of [body.p50_ms, body.p95_ms, body.p99_ms])
      assert.ok((quantile ?? 0) >= fastest * 0.98 && (quantile ?? 0) <= slowest * 1.02 + 0.001);
  });

  test('R1.15 each version has its own statistics, and they can be read together', async () => {
    const { json, invoke } = await assayWith({ count: async () => 1 }, { definition: { version: '1.0.0' } });
    await invoke('count', {});
    const { body } = await json<{ spec: object }>('GET', '/v1/tools/count');
    await json('POST', '/v1/tools', { ...body.spec, version: '2.0.0' });
    await invoke('count', {});
    await invoke('count', {});
    const calls = async (query = '') => (await json<StatsView>('GET', `/v1/tools/count/stats${query}`)).body.calls;

    assert.deepEqual([await calls(), await calls('?version=1.0.0'), await calls('?version=all')], [2, 1, 3]);
    assert.equal((await json('GET', '/v1/tools/nothing/stats')).status, 404);
  });

  test('statistics of a tool that was never called are empty, not an error', async () => {
    const { json } = await assayWith({ idle: async () => 1 });

    const { body } = await json<StatsView>('GET', '/v1/tools/idle/stats');

    assert.deepEqual([body.calls, body.success_rate, body.mean_ms, body.p50_ms], [0, null, null, null]);
  });
});
