import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { listen } from '../../functions/cli/listen.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import type { Assay } from '../../shared/assay.ts';
import { nothingConfigured } from '../../shared/sources/configured.ts';
import { pageFollower, serveAuthServer } from '../support/auth-server.ts';
import { serveHttp } from '../support/mcp-upstream.ts';
import { recordingLog } from '../support/recording-log.ts';
import { aTool } from '../support/tools.ts';

const ADMIN = 'an-admin-key-for-this-test';

/** The product, listening, with requests and the steps that a person takes. */
const serveProduct = async (egress: string) => {
  const assay: Assay = await localAssay({
    environment: readEnvironment({ ASSAY_EGRESS: egress }),
    log: recordingLog(),
    adminKey: ADMIN,
    configured: nothingConfigured,
    discover: async () => [],
  });
  const server = await listen(createApp(assay), '127.0.0.1', 0);
  const request = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(server.address + path, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, never> };
  };
  /** Opens the link of the caller's account and shows the key; gives the page, and where it leads. */
  const goOn = async (go: ReturnType<typeof pageFollower>, source: string) => {
    const { body } = await request('POST', `/v1/sources/${source}/account`);
    const page = await go(body.url ?? '', new URLSearchParams({ key: ADMIN }));
    return { ...page, next: (/url=([^"]*)/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&') };
  };
  const close = async () => {
    await server.close();
    await assay.close();
  };
  return { assay, address: server.address, request, goOn, close };
};

describe('X.17 connecting to an MCP server by its OAuth metadata', () => {
  test('`{"type": "account"}` alone connects: discovery, registration, PKCE, resource and token refresh', async () => {
    const upstream = await serveAuthServer({ registers: true });
    await upstream.request('POST', '/v1/tools', aTool());
    const product = await serveProduct(new URL(upstream.address).host);
    try {
      const source = { name: 'peer', kind: 'mcp', url: `${upstream.address}/mcp`, permission: 'safe' };
      const added = await product.request('POST', '/v1/sources', { ...source, secret: { type: 'account' } });
      assert.equal(added.status, 201);
      assert.match(String(added.body.error), /listed by the account of the key admin: connect it by POST/);

      const go = pageFollower();
      const { next } = await product.goOn(go, 'peer');
      const login = await go(next);
      const key = await upstream.key({ scopes: ['read', 'invoke'] });
      const scopes = ['read', 'invoke'].map((scope) => ['scope', scope]);
      const back = await go(login.url, new URLSearchParams([['key', key], ['answer', 'allow'], ...scopes]));

      assert.match(back.text, /Connected/);
      assert.equal(new URL(next).searchParams.get('resource'), `${upstream.address}/mcp`);
      const call = () =>
        product.request('POST', '/v1/tools/peer_weather_lookup/invoke', { arguments: { city: 'Bern' } });
      assert.equal((await call()).body.status, 'ok');
      const { secrets } = product.assay.sources;
      const owner = { tenant: 'default', source: 'peer', url: source.url };
      assert.equal((await secrets?.registered.find(owner))?.issuer, upstream.address);
      const tokens = await secrets?.accounts.find(owner, 'admin');
      assert.ok(secrets && tokens);
      // A token that the upstream does not take is renewed by the refresh token, and the call goes on.
      await secrets.accounts.keep(owner, 'admin', { ...tokens, access_token: 'a-token-that-has-ended' });
      const later = await call();
      assert.equal(later.body.status, 'ok', JSON.stringify(later.body));
    } finally {
      await product.close();
      await upstream.close();
    }
  });
});

describe('X.17 discovery trusts only validated metadata', () => {
  const seen: string[] = [];
  let said: { resource: object; server: object; token: () => Response | Promise<Response> };
  let address = '';
  let product: Awaited<ReturnType<typeof serveProduct>>;
  const clean: (() => Promise<void>)[] = [];
  const json = (body: unknown, status = 200) => Response.json(body, { status });

  before(async () => {
    const { url } = await serveHttp({ after: (each) => void clean.push(each) }, (request) => {
      const { pathname } = new URL(request.url);
      seen.push(pathname);
      if (pathname.startsWith('/.well-known/oauth-protected-resource')) return json(said.resource);
      if (pathname.startsWith('/.well-known/oauth-authorization-server')) return json(said.server);
      if (pathname === '/register') return json({ client_id: 'registered' }, 201);
      if (pathname === '/token') return said.token();
      return new Response(null, { status: 401 });
    });
    address = url;
    product = await serveProduct(new URL(url).host);
    clean.push(product.close);
  });
  after(async () => {
    for (const each of clean.reverse()) await each();
  });
  beforeEach(() => {
    seen.length = 0;
    said = {
      resource: { resource: `${address}/mcp`, authorization_servers: [address] },
      server: {
        issuer: address,
        authorization_endpoint: `${address}/authorize`,
        token_endpoint: `${address}/token`,
        registration_endpoint: `${address}/register`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      },
      token: () => json({ access_token: 'a-token-of-the-stub' }),
    };
  });
  const add = async (name: string, secret: object = {}) => {
    const body = { name, kind: 'mcp', url: `${address}/mcp`, secret: { type: 'account', ...secret } };
    assert.equal((await product.request('POST', '/v1/sources', body)).status, 201);
  };
  const wrong: readonly (readonly [string, () => void, RegExp])[] = [
    [
      'a resource that is elsewhere',
      () => Object.assign(said.resource, { resource: 'https://api.bank.example/' }),
      /says that it is the resource https:\/\/api\.bank\.example/,
    ],
    [
      'another part of the same host',
      () => Object.assign(said.resource, { resource: `${address}/mcpanel` }),
      /which .* is no part of/,
    ],
    [
      'a server that describes another issuer',
      () => Object.assign(said.server, { issuer: 'https://login.bank.example' }),
      /publishes metadata of another issuer, https:\/\/login\.bank\.example/,
    ],
    [
      'a server without PKCE',
      () => Object.assign(said.server, { code_challenge_methods_supported: ['plain'] }),
      /does not declare PKCE/,
    ],
    [
      'an endpoint that is a script',
      () => Object.assign(said.server, { authorization_endpoint: 'javascript:alert(1)' }),
      /is not valid OAuth metadata \(authorization_endpoint/,
    ],
    [
      'a server at a private address',
      () => Object.assign(said.resource, { authorization_servers: ['https://169.254.169.254'] }),
      /may not be reached/,
    ],
    [
      'a server that registers nobody',
      () => Object.assign(said.server, { registration_endpoint: undefined }),
      /register one there, and give its client_id/,
    ],
  ];
  for (const [index, [what, spoil, reason]] of wrong.entries())
    test(`${what} connects nothing, and the page says why`, async () => {
      await add(`wrong${index}`);
      spoil();
      const page = await product.goOn(pageFollower(), `wrong${index}`);
      assert.match(page.text.replaceAll('&#39;', "'"), reason);
      assert.equal(page.next, '');
      assert.ok(!seen.includes('/register') && !seen.includes('/token'));
    });

  test('an authorization code from another issuer is not sent, and a used one does not work twice', async () => {
    await add('mixed');
    Object.assign(said.server, { authorization_response_iss_parameter_supported: true });
    const go = pageFollower();
    for (const iss of ['https://evil.example', undefined]) {
      const state = new URL((await product.goOn(go, 'mixed')).next).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ code: 'c', state, ...(iss === undefined ? {} : { iss }) });
      const back = await go(`${product.address}/v1/connected?${query}`);
      assert.match(back.text, /the answer comes from .*, not from/);
      const again = await go(`${product.address}/v1/connected?${query}&iss=${encodeURIComponent(address)}`);
      assert.match(again.text, /has expired/);
    }
    assert.ok(!seen.includes('/token'));
    assert.equal(seen.filter((path) => path === '/register').length, 1);
  });

  test('a redirecting token endpoint gets nothing sent on, and a changed one is not trusted', async () => {
    await add('moving');
    said.token = () => new Response(null, { status: 307, headers: { location: 'https://evil.example/token' } });
    const go = pageFollower();
    const { next } = await product.goOn(go, 'moving');
    const state = new URL(next).searchParams.get('state') ?? '';
    // What the metadata says now is not asked again for this link.
    Object.assign(said.server, { token_endpoint: `${address}/elsewhere` });
    const back = await go(`${product.address}/v1/connected?${new URLSearchParams({ code: 'c', state })}`);
    assert.match(back.text, /redirects elsewhere/);
    assert.equal(seen.at(-1), '/token');
    assert.deepEqual((await product.request('POST', '/v1/sources/moving/account')).body.connected, false);
  });

  test('a configured client_id is used, and nothing is registered', async () => {
    await add('given', { client_id: 'known-here', scope: 'issues' });
    const { next } = await product.goOn(pageFollower(), 'given');
    const asked = new URL(next).searchParams;
    assert.deepEqual([asked.get('client_id'), asked.get('scope')], ['known-here', 'issues']);
    assert.ok(!seen.includes('/register'));
  });
});
