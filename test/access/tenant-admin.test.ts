import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
}
type Made = { readonly id: string; readonly key: string } & Refusal;

const dangerous = (name: string) => aTool({ name, permission: 'dangerous' });
const until = () => new Date(Date.now() + 3_600_000).toISOString();

describe('a tenant administrator', () => {
  test('a tenant admin creates keys of its own tenant, with no scope that it lacks itself', async () => {
    const { json, key } = await testAssay();
    const ruler = await key({ scopes: ['tenant_admin', 'invoke'], tenant: 'acme' });
    const make = (body: object) => json<Made>('POST', '/v1/keys', body, ruler);

    assert.equal((await make({ scopes: ['invoke'] })).status, 201);
    assert.match((await make({ scopes: ['write'] })).body.error.message, /it cannot give write$/);
    assert.equal((await make({ scopes: ['admin'] })).status, 403);
    assert.match(
      (await make({ scopes: ['invoke'], tenant: 'other' })).body.error.message,
      /of the tenant acme, not of other/,
    );
  });

  test('a tenant admin lists and revokes the keys of its tenant, but not the operator’s keys', async () => {
    const { json, key } = await testAssay();
    const ruler = await key({ scopes: ['tenant_admin'], tenant: 'acme' });
    const { body: theirs } = await json<Made>('POST', '/v1/keys', { scopes: ['admin'], tenant: 'acme' });
    const { body: own } = await json<Made>('POST', '/v1/keys', { scopes: ['read'], tenant: 'acme' });
    const { body: foreign } = await json<Made>('POST', '/v1/keys', { scopes: ['read'], tenant: 'other' });

    const { body } = await json<{ keys: { id: string }[] }>('GET', '/v1/keys', undefined, ruler);

    assert.ok(body.keys.some(({ id }) => id === own.id) && !body.keys.some(({ id }) => id === foreign.id));
    const revoke = async (id: string) => (await json('DELETE', `/v1/keys/${id}`, undefined, ruler)).status;
    assert.deepEqual([await revoke(own.id), await revoke(theirs.id), await revoke(foreign.id)], [204, 403, 404]);
  });

  test('a tenant admin can grant its tenant’s own tools, but no shipped tool', async () => {
    const { json, key } = await testAssay({
      discover: async () => [{ kind: 'shipped', source: 'test', definitions: [dangerous('shipped_one')] }],
    });
    const ruler = await key({ scopes: ['tenant_admin', 'write'], tenant: 'acme' });
    const { body: holder } = await json<Made>('POST', '/v1/keys', { scopes: ['invoke'], tenant: 'acme' });
    await json('POST', '/v1/tools', dangerous('own_one'), ruler);
    const grant = (name: string) =>
      json<Refusal>('PUT', `/v1/grants/${holder.id}/${name}`, { expires_at: until() }, ruler);

    assert.equal((await grant('own_one')).status, 200);
    const refused = await grant('shipped_one');
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'Forbidden']);
  });

  test('a tenant admin manages lists and sees the usage of all keys of its tenant, but cannot act for another tenant', async () => {
    const { json, key, request } = await testAssay();
    const ruler = await key({ scopes: ['tenant_admin'], tenant: 'acme' });

    await json('POST', '/v1/tools', aTool({ name: 'slow_tool' }), await key({ scopes: ['write'], tenant: 'acme' }));
    const listed = await json('PUT', '/v1/lists/blacklist/slow_tool', { reason: 'slow' }, ruler);
    assert.ok(listed.status < 300, JSON.stringify(listed));
    assert.equal((await json('GET', '/v1/usage', undefined, ruler)).status, 200);
    assert.equal((await json('GET', '/v1/audit', undefined, ruler)).status, 200);
    const other = await request('GET', '/v1/keys', undefined, ruler, { 'assay-tenant': 'default' });
    assert.equal(other.status, 403);
    assert.equal((await json('POST', '/v1/tools', aTool({ name: 'x' }), ruler)).status, 403);
  });
});
