import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { Issuers } from '../../shared/access/issuers.ts';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { createSafeFetch } from '../../shared/adapters/egress/safe-fetch.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { createTokenVerifier } from '../../shared/adapters/oauth/verify-token.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { connectClient, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const AUDIENCE = 'http://localhost/mcp';
const invoke = '/v1/tools/weather_lookup/invoke';
const bern = { arguments: { city: 'Bern' } };

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

/** An issuer on this machine, whose published keys a test can change. */
const startIssuer = async () => {
  const published: object[] = [];
  const asked = { keys: 0 };
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const issuer = `http://127.0.0.1:${port}`;
    if (request.url === '/keys') asked.keys++;
    const body = request.url === '/keys' ? { keys: published } : { issuer, jwks_uri: `${issuer}/keys` };
    const isKnown = request.url === '/keys' || request.url === '/.well-known/openid-configuration';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const publish = async (kid: string): Promise<Pair> => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    published.push({ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' });
    return pair;
  };
  return { issuer: `http://127.0.0.1:${port}`, port, publish, asked, close: () => server.close() };
};

describe('X.22 access tokens of a configured OAuth issuer', () => {
  let issuer: Awaited<ReturnType<typeof startIssuer>>;
  let pair: Pair;
  before(async () => {
    issuer = await startIssuer();
    pair = await issuer.publish('one');
  });
  after(() => issuer.close());

  const setting = async (fields: object = {}) => {
    const clock = standingClock();
    const fetch = createSafeFetch({ allowed: readAllowList(`127.0.0.1:${issuer.port}`) });
    const issuers = Issuers.parse([
      {
        issuer: issuer.issuer,
        audience: [AUDIENCE],
        algorithms: ['ES256'],
        tenant: { claim: 'org', values: { acme: 'acme', other: 'other' } },
        ...fields,
      },
    ]);
    const oauth = { issuers, verifyToken: createTokenVerifier({ issuers, fetch, clock }) };
    const given = await testAssay({ clock, table: memoryTable({ now: clock.now }), oauth, prices });
    for (const tenant of ['acme', 'other'])
      await given.request('POST', '/v1/tools', aTool({ price_micros: 10 }), undefined, { 'assay-tenant': tenant });
    return { ...given, clock };
  };
  const prices = { operations: {}, tools: {}, cached_share: 0.1 };

  const token = (
    claims: JWTPayload = {},
    {
      kid = 'one',
      alg = 'ES256',
      key = pair.privateKey,
    }: { kid?: string; alg?: string; key?: Pair['privateKey'] } = {},
  ) => {
    const now = Math.floor(standingClock().now() / 1000);
    return new SignJWT({
      iss: issuer.issuer,
      aud: AUDIENCE,
      sub: 'ann',
      client_id: 'desk',
      org: 'acme',
      scope: 'read invoke',
      iat: now,
      exp: now + 300,
      ...claims,
    })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt' })
      .sign(key);
  };
  const call = (given: Pick<TestAssay, 'json'>, text: string) =>
    given.json<{ charged_micros: number; error: { code: string; message: string } }>('POST', invoke, bern, text);

  test('an access token calls tools of its tenant, and its subject is recorded and charged as a key is', async () => {
    const given = await setting();

    const { status, body } = await call(given, await token());
    const again = await call(given, await token({ jti: 'another' }));

    assert.deepEqual([status, body.charged_micros, again.status], [200, 10, 200]);
    const headers = { 'assay-tenant': 'acme' };
    const usage = await given.request('GET', '/v1/usage', undefined, undefined, headers);
    const { keys } = (await usage.json()) as { keys: { key_id: string; calls: number }[] };
    assert.equal(keys.length, 1, 'two tokens of one login are one principal');
    assert.match(keys[0]?.key_id ?? '', /^oauth_[0-9a-f]{32}$/);
    assert.equal(keys[0]?.calls, 2);
  });

  test('the issuer’s quota and rate apply to each subject separately', async () => {
    const given = await setting({ quota: { calls: 1 } });

    const [first, second] = [await call(given, await token()), await call(given, await token())];
    const other = await call(given, await token({ sub: 'bob' }));

    assert.deepEqual([first.status, second.status, other.status], [200, 402, 200]);
  });

  test('invalid tokens of every kind are refused, each with its reason', async () => {
    const given = await setting();
    const stranger = await generateKeyPair('ES256');
    const now = Math.floor(given.clock.now() / 1000);
    const whole = await token();
    const [head, body = '', signature] = whole.split('.');
    const changed = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const altered = Buffer.from(JSON.stringify({ ...changed, org: 'other' })).toString('base64url');
    const wrong: Readonly<Record<string, [string, RegExp]>> = {
      'a foreign issuer': [await token({ iss: 'https://elsewhere.example' }), /issuer is not one/],
      'another audience': [await token({ aud: 'http://localhost/other' }), /claim aud/],
      expired: [await token({ exp: now - 31 }), /expired/],
      'not valid yet': [await token({ nbf: now + 60 }), /claim nbf/],
      'without an end': [await token({ exp: undefined }), /claim exp/],
      'without a subject': [await token({ sub: undefined }), /claim sub/],
      'without a tenant': [await token({ org: 'unknown' }), /names no tenant/],
      'without a scope of ours': [await token({ scope: 'openid admin approve tenant_admin' }), /grants nothing/],
      'signed by another key': [await token({}, { key: stranger.privateKey }), /signature/],
      'a key that is not published': [await token({}, { kid: 'nobody' }), /no such key/],
      altered: [`${head}.${altered}.${signature}`, /signature/],
      'alg none': [
        new UnsecuredJWT({ iss: issuer.issuer, aud: AUDIENCE, sub: 'ann' }).encode(),
        /not a signed token|algorithm/,
      ],
      'no token at all': ['eyJ.eyJ.x', /not a signed token/],
      'far too long': [`eyJ${'a'.repeat(20_000)}.b.c`, /more than/],
    };

    for (const [what, [text, why]] of Object.entries(wrong)) {
      const refused = await call(given, text);
      assert.equal(refused.status, 401, `${what}: ${JSON.stringify(refused.body)}`);
      assert.match(refused.body.error.message, why, what);
    }
    assert.equal((await call(given, await token({ exp: now - 20 }))).status, 200, 'clocks may differ by half a minute');
  });

  test('an access token is refused once it expires, though it was cached', async () => {
    const given = await setting();
    const text = await token();
    assert.equal((await call(given, text)).status, 200);

    given.clock.move(331_000);

    assert.equal((await call(given, text)).status, 401);
  });

  test('a new signing key of the issuer is found, and invented key ids do not cause repeated requests', async () => {
    const given = await setting();
    assert.equal((await call(given, await token())).status, 200);
    const asked = issuer.asked.keys;

    for (let count = 0; count < 10; count++)
      assert.equal((await call(given, await token({}, { kid: `invented-${count}` }))).status, 401);

    assert.ok(issuer.asked.keys - asked <= 1, `${issuer.asked.keys - asked} requests`);
    const next = await issuer.publish('two');
    const fresh = await setting();
    assert.equal((await call(fresh, await token({}, { kid: 'two', key: next.privateKey }))).status, 200);
  });

  test('an access token is confined to its tenant and tools, and no claim grants consent or administration', async () => {
    const given = await setting({ tools: { claim: 'tools' } });
    const header = { 'assay-tenant': 'other' };

    const confined = await call(given, await token({ tools: ['another_tool'] }));
    const nothing = await call(given, await token());
    const allowed = await token({ tools: ['weather_lookup'] });
    const crossed = await given.request('POST', invoke, bern, allowed, header);

    assert.deepEqual([confined.status, nothing.status, crossed.status], [404, 404, 403]);
    assert.equal((await given.json('GET', '/v1/confirmations', undefined, allowed)).status, 403);
    assert.equal((await given.json('GET', '/v1/keys', undefined, allowed)).status, 403);
    assert.throws(() =>
      Issuers.parse([{ issuer: 'https://a.example', audience: ['x'], scopes: { map: { all: ['admin'] } } }]),
    );
  });

  test('a dangerous tool runs for a subject with a grant, and a consent holds for one subject', async () => {
    const given = await setting();
    const headers = { 'assay-tenant': 'acme' };
    await given.request('POST', '/v1/tools', aTool({ name: 'mail', permission: 'confirm' }), undefined, headers);
    await given.request('POST', '/v1/tools', aTool({ name: 'erase', permission: 'dangerous' }), undefined, headers);
    const use = (tool: string, text: string) =>
      given.json<{ error: { details: { key_id: string; confirmation: { id: string } } } }>(
        'POST',
        `/v1/tools/${tool}/invoke`,
        bern,
        text,
      );

    const refused = await use('erase', await token());
    const { key_id } = refused.body.error.details;
    const expires_at = new Date(given.clock.now() + 60_000).toISOString();
    await given.request('PUT', `/v1/grants/${key_id}/erase`, { expires_at }, undefined, headers);
    const asked = await use('mail', await token());
    const { id } = asked.body.error.details.confirmation;
    await given.request('POST', '/v1/confirmations', { id, approve: true }, undefined, headers);

    assert.equal((await use('erase', await token())).status, 200);
    assert.equal((await use('erase', await token({ sub: 'bob' }))).status, 403);
    assert.equal((await use('mail', await token({ client_id: 'phone' }))).status, 409);
    assert.equal((await use('mail', await token())).status, 200);
  });

  test('the OAuth metadata names the issuer and exactly the URL that was used; 401 responses point to it', async () => {
    const given = await setting();
    const read = async (path: string) => (await given.app.request(path)).json() as Promise<Record<string, unknown>>;

    const root = await read('http://one.example/.well-known/oauth-protected-resource');
    const mcp = await read('http://one.example/.well-known/oauth-protected-resource/mcp');
    const missing = await given.app.request('http://one.example/mcp', { method: 'POST' });
    const wrong = await given.request('POST', invoke, bern, await token({ aud: 'x' }));
    const weak = await given.request('POST', invoke, bern, await token({ scope: 'read' }));

    assert.deepEqual([root.resource, mcp.resource], ['http://one.example', 'http://one.example/mcp']);
    assert.deepEqual(mcp.authorization_servers, [issuer.issuer]);
    assert.equal(
      missing.headers.get('www-authenticate'),
      'Bearer realm="assay", resource_metadata="http://one.example/.well-known/oauth-protected-resource/mcp"',
    );
    assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    assert.equal(weak.status, 403);
    assert.match(weak.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="invoke"/);
    const { app } = await testAssay();
    assert.equal((await app.request('/.well-known/oauth-protected-resource')).status, 404);
  });

  test('an MCP client lists and calls with an access token, and API keys still work', async () => {
    const given = await setting();
    const client = await connectClient(given.app, await token(), { era: 'modern' });
    const weak = await connectClient(given.app, await token({ scope: 'read' }), { era: 'modern' });
    const key = await given.key({ scopes: ['invoke'], tenant: 'acme' });

    const { tools } = await client.listTools();
    const result = await client.callTool({ name: 'weather_lookup', ...bern });

    assert.deepEqual([tools.length, textOf(result)], [1, '{"temperature":21}']);
    await assert.rejects(weak.callTool({ name: 'weather_lookup', ...bern }));
    assert.equal((await call(given, key)).status, 200);
    await Promise.all([client.close(), weak.close()]);
  });

  test('an issuer whose keys cannot be read is Unavailable, not a bad token', async () => {
    const given = await setting({ jwks_uri: 'http://127.0.0.1:9/keys' });

    const { status, body } = await call(given, await token());

    assert.deepEqual([status, body.error.code], [503, 'Unavailable']);
  });

  test('tokens that name an issuer whose keys cannot be read do not cause repeated requests to it', async (t) => {
    let asked = 0;
    const broken = createServer((_, response) => {
      asked++;
      response.writeHead(500).end();
    });
    broken.listen(0, '127.0.0.1');
    t.after(() => broken.close());
    await once(broken, 'listening');
    const address = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const clock = standingClock();
    const fetch = createSafeFetch({ allowed: readAllowList(new URL(address).host) });
    for (const found of [{}, { jwks_uri: `${address}/keys` }]) {
      const issuers = Issuers.parse([{ issuer: address, audience: [AUDIENCE], algorithms: ['ES256'], ...found }]);
      const verify = createTokenVerifier({ issuers, fetch, clock });
      const present = async (sub: string) => verify(await token({ iss: address, sub })).catch((fault) => fault.code);
      const before = asked;

      for (let count = 0; count < 10; count++) assert.equal(await present(`guest ${count}`), 'Unavailable');

      assert.ok(asked - before <= 2, `${asked - before} requests`);
      clock.move(5000);
      await present('later');
      assert.ok(asked - before > 1, 'it is asked again after a while');
    }
  });
});
