import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { TenantDeletion } from '../../shared/access/delete-tenant.ts';
import type { TenantLine } from '../../shared/access/export-tenant.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { StoredAudit } from '../../shared/execute/audit.ts';
import { ADMIN_KEY, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const table = memoryTable();
const blobs = memoryBlobs();
const server = await testAssay({ table, blobs, prices: { operations: {}, tools: {}, cached_share: 0 } });
after(() => server.assay.close());

/** A tenant with a key, a priced tool, a call of it and a picture. */
const settle = async (tenant: string): Promise<string> => {
  const key = await server.key({ scopes: ['read', 'invoke', 'write'], tenant });
  await server.request('POST', '/v1/tools', aTool({ price_micros: 5 }), key);
  const called = await server.request('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'Oslo' } }, key);
  assert.equal(called.status, 200);
  await blobs.put(`images/${tenant}/a.png`, new Uint8Array([1, 2, 3]));
  await server.assay.recorder.flush();
  return key;
};
const linesOf = async (tenant: string, query = ''): Promise<readonly TenantLine[]> => {
  const response = await server.request('GET', `/v1/tenants/${tenant}/export${query}`);
  assert.equal(response.status, 200);
  return (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TenantLine);
};
const remove = (tenant: string, confirm = tenant, key = ADMIN_KEY) =>
  server.json<TenantDeletion>('DELETE', `/v1/tenants/${tenant}?confirm=${confirm}`, undefined, key);
const auditOf = async (tenant: string): Promise<readonly StoredAudit[]> => {
  const response = await server.request('GET', '/v1/audit?limit=100', undefined, ADMIN_KEY, { 'assay-tenant': tenant });
  return ((await response.json()) as { entries: StoredAudit[] }).entries;
};

describe('the data of a tenant', () => {
  test('a tenant’s data is exported completely, with pictures on request, and without secrets', async () => {
    const key = await settle('acme');
    await settle('acme2');

    const lines = await linesOf('acme', '?pictures=true');
    const text = JSON.stringify(lines);

    for (const part of ['TOOL#weather_lookup', '#CALLS#', '#USAGE#', 'KEY#']) assert.match(text, new RegExp(part));
    assert.deepEqual(
      lines.filter((line) => 'blob' in line),
      [{ blob: 'images/acme/a.png', base64: 'AQID' }],
    );
    assert.doesNotMatch(text, /acme2/);
    assert.ok(!text.includes(key));
    const stored = lines.find((line) => 'pk' in line && line.sk === 'KEY') as { body: Record<string, unknown> };
    assert.deepEqual(Object.keys(stored.body).includes('digest'), false);
  });

  test('an export has neither the token of an open confirmation nor the arguments that it redacts', async () => {
    const asker = await server.key({ scopes: ['invoke', 'write'], tenant: 'asks' });
    const properties = { password: { type: 'string', writeOnly: true } };
    const tool = aTool({ permission: 'confirm', parameters: { type: 'object', properties } });
    await server.request('POST', '/v1/tools', tool, asker);
    const asked = await server.request(
      'POST',
      '/v1/tools/weather_lookup/invoke',
      { arguments: { password: 'open sesame' } },
      asker,
    );
    const { error } = (await asked.json()) as { error: { details: { confirmation: { token: string } } } };

    const text = JSON.stringify(await linesOf('asks'));

    assert.equal(asked.status, 409);
    assert.ok(text.includes('CONFIRMATION#'));
    assert.ok(!text.includes(error.details.confirmation.token));
    assert.ok(!text.includes('open sesame'));
  });

  test('deleting a tenant removes its data and keys, keeps charges and the audit log, and leaves other tenants alone', async () => {
    const key = await settle('gone');
    const other = await settle('gone2');

    const { status, body } = await remove('gone');

    assert.equal(status, 200);
    assert.equal(body.complete, true);
    assert.equal(body.keys_revoked, 1);
    assert.equal(body.blobs_removed, 1);
    assert.match(body.kept.why, /accounting/);
    assert.equal((await server.request('GET', '/v1/tools', undefined, key)).status, 401);
    assert.equal((await server.request('GET', '/v1/tools/weather_lookup', undefined, other)).status, 200);
    const left = await linesOf('gone');
    for (const line of left) assert.match('pk' in line ? line.pk : 'blob', /#(USAGE|AUDIT|ARCHIVE)/);
    assert.ok(left.some((line) => 'pk' in line && line.pk.includes('#USAGE')));
    assert.deepEqual((await remove('gone')).body.items_removed, 0);
  });

  test('a tenant is deleted only by an admin who repeats its name', async () => {
    const owner = await server.key({ scopes: ['tenant_admin'], tenant: 'acme' });

    assert.equal((await remove('acme', 'other')).status, 400);
    assert.equal((await remove('acme', 'acme', owner)).status, 403);
    assert.equal((await server.request('GET', '/v1/tenants/acme/export', undefined, owner)).status, 403);
    assert.equal((await server.request('GET', '/v1/tenants/A%23B/export')).status, 400);
  });
});

describe('the audit log', () => {
  test('the audit log has changes of keys and tools and an operator’s actions for a tenant, but nothing that was refused', async () => {
    const boss = await server.key({ scopes: ['tenant_admin', 'read', 'write'], tenant: 'audited' });
    const made = await server.json<{ id: string }>('POST', '/v1/keys', { scopes: ['read'] }, boss);
    await server.json('POST', '/v1/tools', aTool({ name: 'watched' }), boss);
    await server.json('POST', '/v1/tools', { name: 'wrong' }, boss);
    await server.json('PATCH', '/v1/tools/watched', { enabled: false }, boss);
    await server.json('DELETE', `/v1/keys/${made.body.id}`, undefined, boss);
    await server.request('POST', '/v1/definitions/check', aTool({}), ADMIN_KEY, { 'assay-tenant': 'audited' });

    const entries = (await auditOf('audited')).toReversed();

    assert.deepEqual(
      entries.map(({ action, tool }) => [action, tool]),
      [
        ['key-created', ''],
        ['tool-registered', 'watched'],
        ['tool-changed', 'watched'],
        ['key-revoked', ''],
        ['acted-for-tenant', ''],
      ],
    );
    assert.equal(entries[0]?.about?.id, made.body.id);
    assert.equal(entries.at(-1)?.by, 'admin');
    assert.doesNotMatch(JSON.stringify(entries), /ak_/);
  });
});
