import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

test('X.27 GET /v1/tenants lists who was given a key, with its good keys and use, for the operator alone', async () => {
  const shop = await testAssay();
  await shop.json('POST', '/v1/tools', aTool(), await shop.key({ tenant: 'lab', scopes: ['write'] }));
  const lab = await shop.key({ tenant: 'lab', scopes: ['read', 'invoke', 'tenant_admin'] });
  await shop.key({ tenant: 'lab', scopes: ['read'] });
  await shop.json('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'Bern' } }, lab);
  await shop.assay.recorder.flush();

  const { body } = await shop.json<{ tenants: { tenant: string; keys: number; calls: number }[] }>(
    'GET',
    '/v1/tenants',
  );

  const found = body.tenants.find(({ tenant }) => tenant === 'lab');
  assert.deepEqual([found?.keys, found?.calls], [3, 1]);
  assert.equal((await shop.json('GET', '/v1/tenants', undefined, lab)).status, 403);
  const first = await shop.json<{ tenants: unknown[]; next_cursor?: string }>('GET', '/v1/tenants?limit=1');
  assert.equal(first.body.tenants.length, 1);
});
