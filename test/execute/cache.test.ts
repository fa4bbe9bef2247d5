import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createResultCache } from '../../shared/execute/cache.ts';
import { standingClock } from '../support/clock.ts';
import { assayWith } from '../support/execution.ts';

describe('the output cache', () => {
  const counting = async (cacheable = true) => {
    let runs = 0;
    const count = async (args: object) => ({ run: ++runs, args });
    const made = await assayWith({ count }, { definition: { cacheable, version: '1.0.0' } });
    const run = async (args: object, key?: string) => {
      const { body } = await made.invoke('count', args, key);
      return [(body.output as { run: number }).run, body.cached] as const;
    };
    return { ...made, run };
  };

  test('the output cache answers the same arguments, in any order of keys, without running the tool', async () => {
    const { run, json } = await counting();

    assert.deepEqual(await run({ a: 1, b: 2 }), [1, false]);
    assert.deepEqual(await run({ b: 2, a: 1 }), [1, true]);
    assert.deepEqual(await run({ a: 1 }), [2, false]);
    const { body } = await json<{ calls: number; cached: number }>('GET', '/v1/tools/count/stats');
    assert.deepEqual([body.calls, body.cached], [3, 1]);
  });

  test('the output cache applies to one definition only', async () => {
    const { run, json } = await counting();
    await run({});
    const { body } = await json<{ spec: object }>('GET', '/v1/tools/count');
    await json('POST', '/v1/tools', { ...body.spec, version: '2.0.0' });

    assert.deepEqual(await run({}), [2, false]);
  });

  test('the output cache stores no failures and nothing of tools that are not cacheable', async () => {
    const { run } = await counting(false);
    await run({});
    assert.deepEqual(await run({}), [2, false]);

    let runs = 0;
    const flaky = async () => (++runs === 1 ? Promise.reject(new Error('once')) : runs);
    const { invoke } = await assayWith({ flaky }, { definition: { cacheable: true } });
    assert.equal((await invoke('flaky', {})).body.status, 'failed');
    assert.equal((await invoke('flaky', {})).body.output, 2);
  });

  test('the output cache keeps tenants apart', async () => {
    const { json, key, request } = await counting();
    const { body } = await json<{ spec: object }>('GET', '/v1/tools/count');
    const acme = await key({ scopes: ['admin'], tenant: 'acme' });
    await json('POST', '/v1/tools', body.spec, acme);
    const cached = async (by?: string) =>
      ((await (await request('POST', '/v1/tools/count/invoke', { arguments: {} }, by)).json()) as { cached: boolean })
        .cached;

    assert.deepEqual([await cached(), await cached(), await cached(acme)], [false, true, false]);
  });

  test('the output cache is limited by number, size and age', () => {
    const clock = standingClock();
    const cache = createResultCache({ clock, entries: 3, bytes: 1000, maxAgeMs: 60_000 });
    for (const key of ['a', 'b', 'c']) cache.set(key, key);
    cache.get('a');
    cache.set('d', 'd');
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
      ['a', undefined, 'c', 'd'],
    );

    cache.set('huge', 'x'.repeat(500));
    assert.equal(cache.get('huge'), undefined, 'one output may not push out the others');
    clock.move(60_001);
    assert.equal(cache.get('a'), undefined);
  });
});
