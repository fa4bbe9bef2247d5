import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallSummary } from '../../shared/execute/summarise-calls.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

test('GET /v1/summary sums calls, errors, times and spend over time, by tool and by key, of the caller’s tenant', async () => {
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
