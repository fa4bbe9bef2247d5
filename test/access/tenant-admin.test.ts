import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
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

  test('a limited tenant admin gives a key no more rate, quota or time than it has, and its own unless named', async () => {
    const { json, key } = await testAssay();
    const [expires_at, later] = [until(), new Date(Date.now() + 7_200_000).toISOString()];
    const limits = { rate: { per_second: 10, burst: 20 }, quota: { calls: 100, micros: 5000 }, expires_at };
    const ruler = await key({ scopes: ['tenant_admin', 'invoke'], tenant: 'acme', ...limits });
    const make = async (body: object) =>
      (await json<Made & typeof limits>('POST', '/v1/keys', { scopes: ['invoke', 'tenant_admin'], ...body }, ruler))
        .body;

    for (const [more, message] of [
      [{ rate: { per_second: 11, burst: 20 } }, /^rate\.per_second is 11, and this key itself has 10; give at most/],
      [{ rate: { per_second: 1, burst: 21 } }, /^rate\.burst is 21, and this key itself has 20;/],
      [{ quota: { calls: 101 } }, /^quota\.calls is 101, and this key itself has 100;/],
      [{ quota: { micros: 5001 } }, /^quota\.micros is 5001, and this key itself has 5000;/],
      [{ expires_at: later }, /^expires_at is .*, and this key itself has .*; give at most that, or leave it out/],
    ] as const) {
      const { error } = await make(more);
      assert.equal(error.code, 'Forbidden', JSON.stringify(more));
      assert.match(error.message, message);
    }

    const { key: second, ...same } = await make({});
    assert.deepEqual({ rate: same.rate, quota: same.quota, expires_at: same.expires_at }, limits);
    assert.deepEqual((await make({ quota: { calls: 5 } })).quota, { calls: 5, micros: 5000 });
    const third = await json<Made>('POST', '/v1/keys', { scopes: ['invoke'], quota: { calls: 101 } }, second);
    assert.equal(third.status, 403, 'the keys it made are limited too');
    const free = await json<Made>('POST', '/v1/keys', { scopes: ['invoke'], quota: { calls: 101 }, tenant: 'acme' });
    assert.equal(free.status, 201, 'the operator is not');
  });

  test('a tenant’s administrators have at most 100 keys in force and make 100 a month, and the operator more', async () => {
    const clock = standingClock();
    const { json, key } = await testAssay({ clock });
    const ruler = await key({
      scopes: ['tenant_admin', 'invoke'],
      tenant: 'acme',
      rate: { per_second: 10_000, burst: 10_000 },
    });
    const make = (by?: string) => json<Made>('POST', '/v1/keys', { scopes: ['invoke'], tenant: 'acme' }, by);

    const made = await Promise.all(Array.from({ length: 120 }, () => make(ruler)));

    const given = made.filter(({ status }) => status === 201);
    assert.equal(given.length, 99, 'with its own');
    const refused = made.find(({ status }) => status !== 201)?.body.error;
    assert.equal(refused?.code, 'PaymentRequired');
    assert.match(
      refused?.message ?? '',
      /^the tenant acme has 100 keys that are not revoked, the most that its administrators may make; revoke some/,
    );
    assert.equal((await make()).status, 201, 'by the operator');

    for (const { body } of given.slice(0, 50)) await json('DELETE', `/v1/keys/${body.id}`, undefined, ruler);
    assert.match((await make(ruler)).body.error.message, /was given 100 keys in 2026-11, .* use those it has, or ask/);
    clock.move(30 * 86_400_000);
    assert.equal((await make(ruler)).status, 201, 'in the next month');
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
