import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { CallSummary } from '../../shared/execute/summarise-calls.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

test('GET /v1/summary sums calls, errors, durations and spend over time, by tool and by key, of the caller’s tenant only', async () => {
  const shop = await testAssay();
  await shop.json('POST', '/v1/tools', aTool());
  await shop.json('POST', '/v1/tools', aTool({ name: 'second' }));
  const agent = await shop.key({ name: 'agent', scopes: ['invoke', 'read'] });
  const call = (name: string, args: object, key?: string) =>
    shop.json('POST', `/v1/tools/${name}/invoke`, { arguments: args }, key);
  await call('weather_lookup', { city: 'Bern' });
  await call('weather_lookup', { city: 'Oslo' }, agent);
  await call('weather_lookup', { city: 5 });
  await call('second', { city: 'Rome' });

  const { body } = await shop.json<CallSummary>('GET', '/v1/summary?span=hour');

  assert.deepEqual([body.calls, body.refused, body.failed, body.complete], [4, 1, 0, true]);
  assert.deepEqual(
    body.tools.map(({ name, calls }) => [name, calls]),
    [
      ['weather_lookup', 3],
      ['second', 1],
    ],
  );
  assert.deepEqual(
    body.keys.map(({ calls }) => calls),
    [3, 1],
  );
  assert.equal(
    body.steps.reduce((sum, { calls }) => sum + calls, 0),
    4,
  );
  assert.ok(body.steps.length >= 59 && body.steps.length <= 61, String(body.steps.length));
  assert.ok(body.p50_ms !== null && body.p95_ms !== null && body.p50_ms <= body.p95_ms);
  const stranger = await shop.key({ tenant: 'elsewhere', scopes: ['read'] });
  assert.equal((await shop.json<CallSummary>('GET', '/v1/summary', undefined, stranger)).body.calls, 0);
  assert.equal((await shop.json('GET', '/v1/summary?span=year')).status, 400);
});

test('X.06 concurrent summaries and filtered lists read one page of calls per turn of the event loop', async () => {
  const table = memoryTable();
  const shop = await testAssay({ table });
  await shop.json('POST', '/v1/tools', aTool());
  const call = () => shop.json('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'Bern' } });
  for (let many = 0; many < 10; many++) await Promise.all(Array.from({ length: 100 }, call));
  await shop.assay.recorder.flush();
  const reads = [0];
  const { query } = table;
  Object.assign(table, {
    query: (...given: Parameters<typeof query>) => {
      if (given[0].includes('#CALLS#')) reads.push((reads.pop() ?? 0) + 1);
      return query.apply(table, given);
    },
  });
  let timer = setImmediate(function watch() {
    reads.push(0);
    timer = setImmediate(watch);
  });

  const paths = ['/v1/summary', '/v1/executions?tool=none&limit=20'];
  const asked = Array.from({ length: 20 }, (_, at) => shop.json<CallSummary>('GET', paths[at % 2] ?? ''));
  const answers = await Promise.all(asked);

  clearImmediate(timer);
  assert.equal(answers[0]?.body.calls, 1000);
  assert.equal(answers[0]?.body.complete, true);
  // All begin in one turn, with a page of four shards each; after that one goes on at a time.
  const later = reads.slice(reads.findIndex((count) => count > 0) + 1);
  assert.ok(Math.max(...later) <= 4, `reads a turn: ${later.filter((count) => count > 0)}`);
});
