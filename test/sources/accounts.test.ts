import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import type { App } from '../../functions/api/env.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { createKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import type { Assay } from '../../shared/assay.ts';
import { nothingConfigured } from '../../shared/sources/configured.ts';
import { connectClient, textOf } from '../support/mcp.ts';
import { recordingLog } from '../support/recording-log.ts';

const ADMIN = 'an-admin-key-for-this-test';
const ORIGIN = 'http://localhost';

/** An API with an authorization server: codes are bound to PKCE, refresh tokens rotate. */
const serveUpstream = async () => {
  const codes = new Map<string, string>();
  const seen = { refreshes: 0, revoked: [] as string[], callers: [] as string[] };
  const valid = new Set<string>();
  let refresh = '';
  const grant = (name: string) => {
    refresh = `refresh-${name}-${seen.refreshes}`;
    valid.add(`token-${name}-${seen.refreshes}`);
    return { access_token: `token-${name}-${seen.refreshes}`, refresh_token: refresh, expires_in: 3600 };
  };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const form = new URLSearchParams(await text(request));
    if (request.url === '/token' && form.get('grant_type') === 'authorization_code') {
      const challenge = codes.get(form.get('code') ?? '');
      const given = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (challenge === undefined || challenge !== given) return answer(400, { error: 'invalid_grant' });
      return answer(200, grant(form.get('code') ?? ''));
    }
    if (request.url === '/token') {
      if (form.get('refresh_token') !== refresh) return answer(400, { error: 'invalid_grant' });
      seen.refreshes++;
      return answer(200, grant('renewed'));
    }
    if (request.url === '/revoke') return answer(200, void seen.revoked.push(form.get('token') ?? ''));
    if (request.url === '/openapi.json')
      return answer(200, { openapi: '3.1.0', paths: { '/me': { get: { operationId: 'whoAmI' } } } });
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    seen.callers.push(token);
    return valid.has(token) ? answer(200, { ok: true }) : answer(401, { error: 'who are you?' });
  });
  // On a busy machine a connection may rest for longer than Node keeps one.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  const forget = () => {
    refresh = 'gone';
    valid.clear();
  };
  return { host, codes, seen, close, forget };
};

describe('X.17 callers have their own accounts at a source', () => {
  const offset = { ms: 0 };
  let upstream: Awaited<ReturnType<typeof serveUpstream>>;
  let assay: Assay;
  let app: App;
  const said: string[] = [];
  const log = recordingLog();

  before(async () => {
    upstream = await serveUpstream();
    const { newId } = systemClock();
    assay = await localAssay({
      environment: readEnvironment({ ASSAY_EGRESS: upstream.host }),
      log,
      clock: { now: () => Date.now() + offset.ms, newId },
      adminKey: ADMIN,
      configured: nothingConfigured,
      discover: async () => [],
    });
    app = createApp(assay);
    const base = `http://${upstream.host}`;
    const added = await json('POST', '/v1/sources', ADMIN, {
      name: 'desk',
      kind: 'openapi',
      url: `${base}/openapi.json`,
      permission: 'safe',
      secret: {
        type: 'account',
        authorize_url: `${base}/authorize`,
        token_url: `${base}/token`,
        revoke_url: `${base}/revoke`,
        client_id: 'assay',
        client_secret: 'the-client-secret',
        scope: 'issues',
      },
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  });
  after(async () => {
    await assay.close();
    upstream.close();
  });

  const request = (method: string, path: string, key: string, body?: unknown) =>
    app.request(ORIGIN + path, {
      method,
      headers: { host: 'localhost', authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const json = async (method: string, path: string, key: string, body?: unknown) => {
    const response = await request(method, path, key, body);
    const whole = await response.text();
    said.push(whole);
    return { status: response.status, body: (whole === '' ? {} : JSON.parse(whole)) as never };
  };
  const call = (key: string) => json('POST', '/v1/tools/desk_whoAmI/invoke', key, { arguments: {} });
  const newKey = async () => (await createKey(assay, adminActor(), { scopes: ['read', 'invoke'] })).key;
  const linkOf = async (key: string): Promise<string> => {
    const refused: { status: number; body: { error: { code: string; details: { account: { url: string } } } } } =
      await call(key);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'AccountRequired']);
    return refused.body.error.details.account.url;
  };
  const submit = (link: string, key: string) =>
    app.request(link, { method: 'POST', body: new URLSearchParams({ key }) });

  /** The person's part: opens the link, shows the key, agrees at the upstream, and comes back. */
  const connect = async (link: string, key: string, code: string): Promise<Response> => {
    const shown = await submit(link, key);
    const cookie = shown.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = await shown.text();
    const there = new URL((/url=([^"]*)/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&'));
    upstream.codes.set(code, there.searchParams.get('code_challenge') ?? '');
    assert.equal(there.searchParams.get('redirect_uri'), `${ORIGIN}/v1/connected`);
    assert.equal(there.searchParams.get('code_challenge_method'), 'S256');
    const state = there.searchParams.get('state') ?? '';
    return app.request(`${ORIGIN}/v1/connected?${new URLSearchParams({ code, state })}`, {
      headers: { cookie },
    });
  };

  test('the first call returns a link; after connecting, the same call succeeds for that person only', async () => {
    const [ann, ben] = [await newKey(), await newKey()];
    const link = await linkOf(ann);
    assert.match(await (await app.request(link)).text(), /asks to use <strong>your<\/strong> account/);

    const back = await connect(link, ann, 'ann');

    assert.match(await back.text(), /Connected/);
    assert.equal((await call(ann)).status, 200);
    assert.equal(upstream.seen.callers.at(-1), 'token-ann-0');
    await linkOf(ben);
    assert.equal((await submit(link, ann)).status, 400);
  });

  test('a link opened by somebody else or finished in another browser connects nothing', async () => {
    const [ann, eve] = [await newKey(), await newKey()];
    const link = await linkOf(eve);
    assert.match(await (await submit(link, ann)).text(), /not the key that the link was made for/);
    const page = await (await submit(link, eve)).text();
    const state = /state=([^&"]*)/.exec(page)?.[1] ?? '';
    upstream.codes.set('eve', 'x');
    const other = await app.request(`${ORIGIN}/v1/connected?code=eve&state=${state}`, {
      headers: { cookie: 'assay_connect=another' },
    });
    assert.equal(other.status, 400);
    await linkOf(eve);
    offset.ms = 601_000;
    assert.match(await (await app.request(link)).text(), /This link has expired or was used/);
    offset.ms = 0;
  });

  test('access tokens are refreshed once before they expire; one that cannot be refreshed asks again', async () => {
    const key = await newKey();
    await connect(await linkOf(key), key, 'kim');
    offset.ms = 3_580_000;

    const both = await Promise.all([call(key), call(key)]);

    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    assert.equal(upstream.seen.refreshes, 1);
    assert.equal(upstream.seen.callers.at(-1), 'token-renewed-1');
    upstream.forget();
    offset.ms = 2 * 3_600_000;
    await linkOf(key);
    offset.ms = 0;
  });

  test('an access token that the upstream refuses is dropped, and the next call asks again', async () => {
    const key = await newKey();
    await connect(await linkOf(key), key, 'max');
    upstream.forget();

    const refused: { body: { status: string } } = await call(key);

    assert.equal(refused.body.status, 'failed');
    await linkOf(key);
  });

  test('disconnecting an account revokes its tokens', async () => {
    const key = await newKey();
    await connect(await linkOf(key), key, 'lee');
    const state = await json('POST', '/v1/sources/desk/account', key);
    assert.deepEqual(state.body, { connected: true });

    assert.equal((await request('DELETE', '/v1/sources/desk/account', key)).status, 204);

    assert.match(upstream.seen.revoked.at(-1) ?? '', /^refresh-lee/);
    await linkOf(key);
  });

  test('an MCP client that can open URLs is sent to the link, and continues with the same call', async () => {
    const key = await newKey();
    const opened: string[] = [];
    const client = await connectClient(
      app,
      key,
      { era: 'modern', headers: { host: 'localhost' }, capabilities: { elicitation: { url: {} } } },
      (each) =>
        each.setRequestHandler('elicitation/create', async ({ params }) => {
          const { url } = params as { url: string };
          opened.push(url);
          await connect(url, key, 'mcp');
          return { action: 'accept' as const };
        }),
    );
    const result = await client.callTool({ name: 'desk_whoAmI', arguments: {} });
    await client.close();

    assert.equal(opened.length, 1);
    assert.match(textOf(result), /"ok":true/);
    const plain = await connectClient(app, await newKey(), { era: 'modern', headers: { host: 'localhost' } });
    const refused = await plain.callTool({ name: 'desk_whoAmI', arguments: {} });
    await plain.close();
    assert.match(textOf(refused), /AccountRequired.*http:\/\/localhost\/v1\/connect\//s);
  });

  test('no token or client secret is ever shown, and removing the source deletes all accounts', async () => {
    for (const path of ['/v1/sources', '/v1/sources/desk', '/v1/executions', '/v1/audit', '/v1/snapshot'])
      await json('GET', path, ADMIN);
    const kept = async () => (await assay.table.query('T#default#SECRET', { prefix: 'desk#' })).items.length;
    assert.ok((await kept()) > 0);
    assert.equal((await request('DELETE', '/v1/sources/desk', ADMIN)).status, 204);
    assert.equal(await kept(), 0);
    assert.doesNotMatch(
      said.join('\n') + JSON.stringify(log),
      /token-(ann|kim|lee|mcp|renewed)|refresh-|the-client-secret/,
    );
  });
});
