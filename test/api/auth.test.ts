import assert from 'node:assert/strict';
import { get } from 'node:http';
import { describe, test } from 'node:test';
import { listen } from '../../functions/cli/listen.ts';
import type { KeyView } from '../../shared/model/key.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

describe('API keys and scopes', () => {
  test('healthz and openapi.json need no key, everything else does', async () => {
    const { app } = await testAssay();

    assert.equal((await app.request('/healthz')).status, 200);
    assert.equal((await app.request('/openapi.json')).status, 200);
    const refused = await app.request('/v1/tools');
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /Bearer/);
  });

  test('a key is accepted as Bearer token or as X-Api-Key', async () => {
    const { app, key } = await testAssay();
    const text = await key({ scopes: ['read'] });

    assert.equal((await app.request('/v1/tools', { headers: { authorization: `Bearer ${text}` } })).status, 200);
    assert.equal((await app.request('/v1/tools', { headers: { 'x-api-key': text } })).status, 200);
  });

  test('a request with two Authorization headers is unauthenticated, also over a socket', async (t) => {
    const { app, key } = await testAssay();
    const text = await key({ scopes: ['read'] });
    const server = await listen(app, '127.0.0.1', 0);
    t.after(() => server.close());
    const statusWith = (...authorization: string[]): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(server.address);
        const lines = ['host', hostname, ...authorization.flatMap((each) => ['Authorization', each])];
        const asked = get({ hostname, port, path: '/v1/tools', headers: lines }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on('error', reject);
      });

    assert.equal(await statusWith(`Bearer ${text}`), 200);
    assert.equal(await statusWith(`Bearer ${text}`, 'Bearer another'), 401);
    assert.equal(await statusWith('Bearer another', `Bearer ${text}`), 401);
  });

  test('wrong, truncated, mistyped and unknown keys are refused with the same message', async () => {
    const { json, key, assay } = await testAssay();
    const text = await key({ scopes: ['read'] });
    let lookups = 0;
    const get = assay.table.get.bind(assay.table);
    const counting = (...args: Parameters<typeof get>) => {
      lookups++;
      return get(...args);
    };
    Object.assign(assay.table, { get: counting });
    const flipped = `${text.slice(0, -7)}${text.at(-7) === 'A' ? 'B' : 'A'}${text.slice(-6)}`;

    for (const wrong of ['nonsense', text.slice(0, -1), `${text}x`, flipped, text.toUpperCase()]) {
      const { status, body } = await json<{ error: { message: string } }>('GET', '/v1/tools', undefined, wrong);
      assert.equal(status, 401, wrong);
      assert.match(body.error.message, /this key is not known/);
    }
    assert.equal(lookups, 0, 'a mistyped key is refused without a lookup');
  });

  test('a key that may only read cannot write, invoke or administer', async () => {
    const { json, key } = await testAssay();
    await json('POST', '/v1/tools', aTool());
    const reader = await key({ scopes: ['read'] });

    for (const [method, path, body] of [
      ['POST', '/v1/tools', aTool({ name: 'x' })],
      ['PATCH', '/v1/tools/weather_lookup', { enabled: false }],
      ['DELETE', '/v1/tools/weather_lookup', undefined],
      ['POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'x' } }],
      ['POST', '/v1/snapshot', {}],
      ['POST', '/v1/reload', {}],
      ['GET', '/v1/keys', undefined],
      ['POST', '/v1/keys', { scopes: ['admin'] }],
    ] as const) {
      const answer = await json<{ error: { code: string; message: string } }>(method, path, body, reader);
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'Forbidden'], `${method} ${path}`);
      assert.match(answer.body.error.message, /this key has the scopes read; this call needs/);
    }
    assert.equal((await json('GET', '/v1/tools/weather_lookup', undefined, reader)).status, 200);
  });

  test('a confined key neither sees nor runs other tools', async () => {
    const { json, key } = await testAssay();
    for (const name of ['one', 'two']) await json('POST', '/v1/tools', aTool({ name }));
    const confined = await key({ scopes: ['read', 'invoke'], tools: ['one'] });

    const { body } = await json<{ tools: { spec: { name: string } }[] }>('GET', '/v1/tools', undefined, confined);
    assert.deepEqual(
      body.tools.map(({ spec }) => spec.name),
      ['one'],
    );
    assert.equal((await json('GET', '/v1/tools/two', undefined, confined)).status, 404);
    assert.equal((await json('POST', '/v1/tools/two/invoke', { arguments: { city: 'x' } }, confined)).status, 404);
    assert.equal((await json('POST', '/v1/tools/one/invoke', { arguments: { city: 'x' } }, confined)).status, 200);
  });

  test('a revoked or expired key is refused at once, and the error says which it is', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { json } = await testAssay({
      clock: { now: () => now, newId: () => `01h${String(now)}${Math.trunc(performance.now() * 1000)}` },
    });
    const made = (await json<KeyView & { key: string }>('POST', '/v1/keys', { scopes: ['read'] })).body;
    const brief = (
      await json<KeyView & { key: string }>('POST', '/v1/keys', {
        scopes: ['read'],
        expires_at: '2026-01-01T00:01:00Z',
      })
    ).body;
    assert.equal((await json('GET', '/v1/tools', undefined, made.key)).status, 200);

    assert.equal((await json('DELETE', `/v1/keys/${made.id}`)).status, 204);
    const revoked = await json<{ error: { message: string } }>('GET', '/v1/tools', undefined, made.key);
    assert.deepEqual([revoked.status, /revoked/.test(revoked.body.error.message)], [401, true]);
    assert.equal((await json('GET', '/v1/tools', undefined, brief.key)).status, 200);
    now += 61_000;
    const expired = await json<{ error: { message: string } }>('GET', '/v1/tools', undefined, brief.key);
    assert.deepEqual([expired.status, /expired/.test(expired.body.error.message)], [401, true]);
  });

  test('a key’s secret is shown once, only its digest is stored, and no log line contains it', async () => {
    const { json, request, log, assay } = await testAssay();
    const { body } = await json<KeyView & { key: string }>('POST', '/v1/keys', { name: 'ci', scopes: ['read'] });
    await request('GET', '/v1/tools', undefined, body.key);
    const listed = await request('GET', '/v1/keys');
    const stored = await assay.table.get({ pk: `KEY#${body.id}`, sk: 'KEY' });
    const secret = body.key.split('_').slice(2).join('_');

    for (const text of [await listed.text(), JSON.stringify(stored), JSON.stringify(log.lines)])
      assert.ok(!text.includes(secret));
    assert.match(String(stored?.body.digest), /^[0-9a-f]{64}$/);
  });

  test('revoking a key of another tenant is refused, and the key keeps working', async () => {
    const { json, key } = await testAssay();
    const { body: theirs } = await json<KeyView & { key: string }>('POST', '/v1/keys', {
      tenant: 'acme',
      scopes: ['admin'],
    });
    const { body: ours } = await json<KeyView & { key: string }>('POST', '/v1/keys', { scopes: ['read'] });
    const reader = await key({ scopes: ['read'] });

    assert.equal((await json('DELETE', `/v1/keys/${theirs.id}`)).status, 404, 'the operator of the default tenant');
    assert.equal((await json('DELETE', `/v1/keys/${ours.id}`, undefined, theirs.key)).status, 404, 'their admin');
    assert.equal((await json('DELETE', `/v1/keys/${ours.id}`, undefined, reader)).status, 403);
    for (const { key: text } of [theirs, ours])
      assert.equal((await json('GET', '/v1/tools', undefined, text)).status, 200);
    assert.equal((await json('DELETE', `/v1/keys/${ours.id}`)).status, 204);
    assert.equal((await json('GET', '/v1/tools', undefined, ours.key)).status, 401);
  });

  test('only an admin may act for another tenant', async () => {
    const { request, key } = await testAssay();
    const writer = await key({ scopes: ['read', 'write'] });

    const admin = await request('POST', '/v1/tools', aTool(), undefined, { 'assay-tenant': 'acme' });
    assert.equal(admin.status, 201);
    assert.equal((await request('GET', '/v1/tools/weather_lookup')).status, 404);
    assert.equal((await request('GET', '/v1/tools', undefined, writer, { 'assay-tenant': 'acme' })).status, 403);
    assert.equal((await request('GET', '/v1/tools', undefined, undefined, { 'assay-tenant': 'T#x' })).status, 400);
  });

  test('a repeated Idempotency-Key returns the first response and does nothing twice', async () => {
    const { request } = await testAssay();
    const send = (body: unknown) => request('POST', '/v1/tools', body, undefined, { 'idempotency-key': 'once' });

    const [first, second] = [await send(aTool({ name: 'one' })), await send(aTool({ name: 'one' }))];
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(await first.text(), await second.text());
    assert.equal((await send(aTool({ name: 'two' }))).status, 409);
    const { tools } = (await (await request('GET', '/v1/tools')).json()) as { tools: unknown[] };
    assert.equal(tools.length, 1);
  });

  test('two concurrent requests with one Idempotency-Key do the work once', async () => {
    const { request } = await testAssay();

    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        request('POST', '/v1/keys', { scopes: ['read'] }, undefined, { 'idempotency-key': 'race' }),
      ),
    );
    const made = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotent-replay'));
    assert.equal(made.length, 1);
    const { keys } = (await (await request('GET', '/v1/keys')).json()) as { keys: unknown[] };
    assert.equal(keys.length, 1);
  });

  test('each request has an id, taken from the caller when it is valid, and one log line', async () => {
    const { request, log } = await testAssay();

    const own = await request('GET', '/v1/tools', undefined, undefined, { 'x-request-id': 'abc-1' });
    const forged = await request('GET', '/v1/tools', undefined, undefined, { 'x-request-id': 'a b"\\n' });
    assert.equal(own.headers.get('x-request-id'), 'abc-1');
    assert.notEqual(forged.headers.get('x-request-id'), 'a b"\\n');
    const lines = log.lines.filter(({ message }) => message === 'request');
    assert.deepEqual(
      lines.map(({ fields }) => [fields.status, fields.path, fields.key]),
      [
        [200, '/v1/tools', 'admin'],
        [200, '/v1/tools', 'admin'],
      ],
    );
  });
});
