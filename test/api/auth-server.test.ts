import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { revokeKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { parseKeyId } from '../../shared/access/secret.ts';
import { ADMIN_KEY } from '../support/assay.ts';
import { memoryOAuthClient, pageFollower, REDIRECT, serveAuthServer } from '../support/auth-server.ts';
import { textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

type Server = Awaited<ReturnType<typeof serveAuthServer>>;

const allow = (key: string, scopes = ['read', 'invoke', 'write']): URLSearchParams =>
  new URLSearchParams([['key', key], ['answer', 'allow'], ...scopes.map((scope) => ['scope', scope])]);

describe('X.22 our own authorization server', () => {
  let server: Server;
  before(async () => {
    server = await serveAuthServer({ registers: true });
    await server.request('POST', '/v1/tools', aTool({ price_micros: 10 }));
  });
  after(() => server.close());

  const connect = async (provider: ReturnType<typeof memoryOAuthClient>['provider']) => {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.address}/mcp`), { authProvider: provider });
    const client = new Client({ name: 'test', version: '1' });
    return { transport, client };
  };

  /** A client of the SDK that was let in by a key. */
  const login = async (key: string, { scopes, clientUrl }: { scopes?: string[]; clientUrl?: string } = {}) => {
    const { provider, kept } = memoryOAuthClient(clientUrl);
    const first = await connect(provider);
    await assert.rejects(first.client.connect(first.transport));
    assert.ok(kept.url, 'the client was sent to the authorization server');
    const go = pageFollower();
    const page = await go(kept.url.href);
    const back = await go(page.url, allow(key, scopes));
    assert.ok(back.url.startsWith(REDIRECT), back.text);
    const params = new URL(back.url).searchParams;
    await first.transport.finishAuth(params);
    const tokens = kept.tokens as { access_token: string; refresh_token: string; scope: string };
    const { client_id: clientId } = kept.information as { client_id: string };
    return { provider, kept, page, params, tokens, clientId };
  };

  const ask = (token: string, path = '/v1/tools') =>
    fetch(server.address + path, { headers: { authorization: `Bearer ${token}` } });
  const post = (path: string, form: Record<string, string>) =>
    fetch(server.address + path, { method: 'POST', body: new URLSearchParams(form) });

  /** A code, asked for by hand. */
  const askCode = async (clientId: string, fields: Record<string, string> = {}) => {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      scope: 'read invoke',
      resource: `${server.address}/mcp`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...fields,
    });
    for (const [name, value] of [...query]) if (value === '') query.delete(name);
    return { verifier, address: `${server.address}/oauth/authorize?${query}` };
  };

  test('a client that publishes its metadata signs in with an API key, lists tools and calls one', async () => {
    const key = await server.key({ scopes: ['read', 'invoke', 'approve'] });
    const clientUrl = server.published.publish('/agent.json');

    const { provider, page, params, tokens, clientId } = await login(key, { clientUrl });

    assert.equal(clientId, clientUrl);
    assert.match(page.text, /Test agent/);
    assert.match(page.text, /published by <code>tools\.example/);
    assert.equal(params.get('iss'), server.address);
    assert.equal(tokens.scope, 'read invoke');
    const claims = decodeJwt(tokens.access_token);
    assert.equal(claims.aud, `${server.address}/mcp`);
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 300);
    const { client, transport } = await connect(provider);
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'weather_lookup'));
    const result = await client.callTool({ name: 'weather_lookup', arguments: { city: 'Bern' } });
    assert.notEqual(textOf(result), '');
    await client.close();
  });

  test('a dynamically registered client signs in, and its registration expires after a month', async () => {
    const key = await server.key({ scopes: ['read'] });

    const { page, tokens, clientId } = await login(key);

    assert.match(page.text, /registered itself/);
    assert.equal((await ask(tokens.access_token)).status, 200);
    server.offset.ms = 31 * 86_400_000;
    try {
      const refreshed = await post('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: clientId,
      });
      assert.equal(refreshed.status, 401);
      assert.equal(((await refreshed.json()) as { error: string }).error, 'invalid_client');
    } finally {
      server.offset.ms = 0;
    }
  });

  test('a token has the scopes of the key that the person left checked, and never consent or administration', async () => {
    const key = await server.key({ scopes: ['admin'] });

    const { tokens, clientId } = await login(key, { scopes: ['read', 'admin', 'approve'] });

    assert.equal(tokens.scope, 'read');
    assert.equal((await ask(tokens.access_token, '/v1/keys')).status, 403);
    const refused = await fetch(`${server.address}/v1/tools/weather_lookup/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      body: '{"arguments":{"city":"Bern"}}',
    });
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="invoke"/);
    for (const scope of ['admin', 'tenant_admin', 'approve']) {
      const { address } = await askCode(clientId, { scope });
      const answer = await pageFollower()(address);
      assert.equal(new URL(answer.url).searchParams.get('error'), 'invalid_scope', scope);
    }
  });

  test('a token counts against the quota of its key, whatever the number of clients', async () => {
    const key = await server.key({ scopes: ['read', 'invoke'], quota: { calls: 2 } });
    const tokens = [(await login(key)).tokens.access_token, (await login(key)).tokens.access_token, key];
    const statuses: number[] = [];
    for (const token of tokens) {
      const response = await fetch(`${server.address}/v1/tools/weather_lookup/invoke`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"arguments":{"city":"Bern"}}',
      });
      statuses.push(response.status);
    }
    assert.deepEqual(statuses.slice(0, 2), [200, 200]);
    assert.notEqual(statuses[2], 200);
  });

  test('an access token ends when its key is revoked, and cannot be refreshed', async () => {
    const key = await server.key({ scopes: ['read'] });
    const { tokens, clientId } = await login(key);
    assert.equal((await ask(tokens.access_token)).status, 200);

    await revokeKey(server.assay, adminActor(), parseKeyId(key) ?? '');

    assert.equal((await ask(tokens.access_token)).status, 401);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId };
    assert.equal((await post('/oauth/token', form)).status, 400);
  });

  test('an access token lives five minutes, and a refresh token works once', async () => {
    const { tokens, clientId } = await login(await server.key({ scopes: ['read'] }));
    server.offset.ms = 301_000;
    try {
      const late = await ask(tokens.access_token);
      assert.equal(late.status, 401);
      assert.match(late.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    } finally {
      server.offset.ms = 0;
    }
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId };
    const next = await post('/oauth/token', form);
    const { access_token: second } = (await next.json()) as { access_token: string };
    assert.equal((await ask(second)).status, 200);
    // A refresh token that comes twice was stolen by one of the two: all of the grant ends.
    assert.equal((await post('/oauth/token', form)).status, 400);
    assert.equal((await ask(second)).status, 401);
  });

  test('revoking a refresh token ends the access tokens of its grant at once', async () => {
    const { tokens, clientId } = await login(await server.key({ scopes: ['read'] }));

    const revoked = await post('/oauth/revoke', { token: tokens.refresh_token, client_id: clientId });

    assert.equal(revoked.status, 200);
    assert.equal((await ask(tokens.access_token)).status, 401);
  });

  test('an authorization code works once: a replay is refused and revokes the tokens it gave', async () => {
    const key = await server.key({ scopes: ['read', 'invoke'] });
    const clientUrl = server.published.publish('/replay.json');
    const { verifier, address } = await askCode(clientUrl);
    const go = pageFollower();
    const back = await go((await go(address)).url, allow(key));
    const form = {
      grant_type: 'authorization_code',
      code: new URL(back.url).searchParams.get('code') ?? '',
      client_id: clientUrl,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    };
    const both = await Promise.all([post('/oauth/token', form), post('/oauth/token', form)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
    const good = both.find(({ status }) => status === 200);
    assert.ok(good);
    const { access_token: token } = (await good.json()) as { access_token: string };
    assert.equal((await post('/oauth/token', form)).status, 400);
    assert.equal((await ask(token)).status, 401);
  });

  test('a wrong verifier, missing PKCE, another redirect URI and a foreign resource are refused', async () => {
    const key = await server.key({ scopes: ['read', 'invoke'] });
    const clientUrl = server.published.publish('/wrong.json');
    const go = pageFollower();
    const { address } = await askCode(clientUrl);
    const back = await go((await go(address)).url, allow(key));
    const code = new URL(back.url).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', code, client_id: clientUrl, redirect_uri: REDIRECT };
    assert.equal((await post('/oauth/token', { ...form, code_verifier: 'x'.repeat(43) })).status, 400);

    const errorOf = async (fields: Record<string, string>): Promise<string> => {
      const answer = await pageFollower()((await askCode(clientUrl, fields)).address);
      assert.ok(!answer.url.includes('/oauth/sign-in'), JSON.stringify(fields));
      return answer.url.startsWith(REDIRECT) ? (new URL(answer.url).searchParams.get('error') ?? '') : answer.text;
    };
    assert.equal(await errorOf({ code_challenge: '', code_challenge_method: '' }), 'invalid_request');
    assert.equal(await errorOf({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }), 'invalid_request');
    assert.match(await errorOf({ redirect_uri: 'https://evil.example/callback' }), /redirect_uri/);
    assert.equal(await errorOf({ resource: 'https://evil.example/mcp' }), 'invalid_target');
    assert.match(await errorOf({ client_id: 'https://127.0.0.1/agent.json' }), /invalid_client|metadata/);
  });

  test('the login page reports a wrong key, slows guessing, refuses the operator’s key and passes on a denial', async () => {
    const clientUrl = server.published.publish('/guess.json');
    const go = pageFollower();
    const { url } = await go((await askCode(clientUrl)).address);
    assert.match((await go(url, allow('ak_wrong'))).text, /role="alert">this key is not known/);
    assert.match((await go(url, allow(ADMIN_KEY))).text, /not a stored key/);
    for (let tries = 0; tries < 20; tries++) await go(url, allow('ak_wrong'));
    assert.match((await go(url, allow('ak_wrong'))).text, /Too many keys were refused/);
    server.offset.ms = 61_000;

    const back = await go(url, new URLSearchParams({ answer: 'deny' }));
    assert.equal(new URL(back.url).searchParams.get('error'), 'access_denied');
    assert.match((await go(url)).text, /This sign-in has expired/);
  });

  test('the login page cannot be framed, and another browser cannot submit it', async () => {
    const { url } = await pageFollower()((await askCode(server.published.publish('/framed.json'))).address);
    const shown = await fetch(url);
    assert.equal(shown.status, 400);
    assert.match(shown.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    const answer = await fetch(url, { method: 'POST', body: allow(await server.key({ scopes: ['read'] })) });
    assert.equal(answer.status, 400);
  });

  test('a token with another signer, audience or type, or without a signature, is refused', async () => {
    const { tokens } = await login(await server.key({ scopes: ['read'] }));
    const claims = decodeJwt(tokens.access_token);
    const { privateKey } = await generateKeyPair('ES256');
    const foreign = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' }).sign(privateKey);
    const [head = '', body = '', signature = ''] = tokens.access_token.split('.');
    const altered = Buffer.from(JSON.stringify({ ...claims, scope: 'read invoke write' })).toString('base64url');
    const none = new UnsecuredJWT(claims).encode();
    for (const token of [foreign, `${head}.${altered}.${signature}`, `${head}.${body}.`, none]) {
      const refused = await ask(token);
      assert.equal(refused.status, 401, token);
    }
  });

  test('the OAuth metadata names the resource, the server, PKCE and client metadata documents', async () => {
    const read = async (path: string) =>
      (await fetch(server.address + path)).json() as Promise<Record<string, unknown>>;
    const resource = await read('/.well-known/oauth-protected-resource/mcp');
    assert.equal(resource.resource, `${server.address}/mcp`);
    assert.deepEqual(resource.authorization_servers, [server.address]);
    assert.deepEqual(resource.scopes_supported, ['read', 'invoke', 'write']);
    const metadata = await read('/.well-known/oauth-authorization-server');
    assert.equal(metadata.issuer, server.address);
    assert.deepEqual(metadata.code_challenge_methods_supported, ['S256']);
    assert.equal(metadata.client_id_metadata_document_supported, true);
    assert.equal(metadata.authorization_response_iss_parameter_supported, true);
    assert.equal(metadata.registration_endpoint, `${server.address}/oauth/register`);
  });

  test('client registrations from one address are limited', async () => {
    const statuses = new Set<number>();
    for (let tries = 0; tries < 25; tries++) {
      const response = await fetch(`${server.address}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [REDIRECT] }),
      });
      statuses.add(response.status);
    }
    assert.ok(statuses.has(429));
  });
});

test('X.22 client registration is closed unless it is switched on', async () => {
  const server = await serveAuthServer();
  try {
    const metadata = (await (await fetch(`${server.address}/.well-known/oauth-authorization-server`)).json()) as object;
    assert.ok(!('registration_endpoint' in metadata));
    assert.equal((await fetch(`${server.address}/oauth/register`, { method: 'POST', body: '{}' })).status, 404);
  } finally {
    await server.close();
  }
});
