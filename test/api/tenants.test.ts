import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listEarlierTenants } from '../../shared/access/list-earlier-tenants.ts';
import { tenantKey } from '../../shared/kernel/item-keys.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

test('X.27 GET /v1/tenants lists tenants with their active keys and usage, for the operator only', async () => {
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

test('tenants whose keys were made by an earlier release are listed too, after one scan', async () => {
  const { assay, key, json } = await testAssay();
  const names = Array.from({ length: 30 }, (_, n) => `old-${String(n).padStart(2, '0')}`);
  for (const tenant of names) await key({ tenant, scopes: ['read'] });
  // As releases before left it: keys without an entry of their tenant.
  await assay.table.write(names.map((tenant) => ({ remove: tenantKey(tenant) })));
  const listed = async (): Promise<readonly string[]> => {
    const { body } = await json<{ tenants: { tenant: string }[] }>('GET', '/v1/tenants?limit=50');
    return body.tenants.map(({ tenant }) => tenant).filter((tenant) => tenant.startsWith('old-'));
  };

  assert.deepEqual(await listed(), names);
  await assay.table.write([{ remove: tenantKey('old-00') }]);
  assert.deepEqual(await listed(), names.slice(1));
});

test('the scan for tenants of earlier keys resumes where it was interrupted', async () => {
  const { assay, key } = await testAssay();
  const names = ['one', 'two', 'three'];
  for (const tenant of names) await key({ tenant, scopes: ['read'] });
  await assay.table.write(names.map((tenant) => ({ remove: tenantKey(tenant) })));
  const { items } = await assay.table.scan('KEY#');
  const asked: (string | undefined)[] = [];
  // As DynamoDB reads: a part at a time, from behind a key on.
  const paged = (most: number): Table => ({
    ...assay.table,
    async scan(_, after) {
      asked.push(after?.pk);
      if (asked.length > most) throw new Error('cut off');
      const at = items.findIndex(({ key: each }) => each.pk === after?.pk) + 1;
      const next = items[at]?.key;
      return next && at + 1 < items.length ? { items: items.slice(at, at + 1), next } : { items: items.slice(at) };
    },
  });

  await assert.rejects(listEarlierTenants(paged(2)), /cut off/);
  await listEarlierTenants(paged(Number.POSITIVE_INFINITY));

  const pks = items.map(({ key: each }) => each.pk);
  assert.deepEqual(asked, [undefined, pks[0], pks[1], pks[1], ...pks.slice(2, -1)]);
  const { items: listed } = await assay.table.query('TENANTS');
  for (const name of names) assert.ok(listed.some(({ key: each }) => each.sk === name));
});
