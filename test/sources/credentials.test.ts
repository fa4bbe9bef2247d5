import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { nothingConfigured } from '../../shared/sources/configured.ts';
import { fakeUpstream } from '../support/mcp-upstream.ts';
import { recordingLog } from '../support/recording-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KEY = 'an-admin-key-for-this-test';
const SECRET = 'ghp_this-is-the-secret';

/** An API that says who asked; it wants a bearer token even for its document. */
const serveApi = async (t: TestContext) => {
  const seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
  let tokens = 0;
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    seen.push({ url, headers });
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url === '/token') {
      tokens += 1;
      const isKnown = headers.authorization === `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`;
      const isAsked = (await text(request)) === 'grant_type=client_credentials&scope=read';
      return isKnown && isAsked
        ? answer(200, { access_token: 'token-of-the-server', expires_in: 3600 })
        : answer(401, { error: 'invalid_client' });
    }
    if (headers.authorization === undefined) return answer(401, { error: 'who are you?' });
    if (url !== '/openapi.json') return answer(200, { url, you_are: headers.authorization, team: headers['x-team'] });
    return answer(200, {
      openapi: '3.1.0',
      paths: {
        '/pets/{id}': {
          get: { operationId: 'getPet', parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' } }] },
        },
      },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, host, url: `http://${host}/openapi.json`, tokens: () => tokens };
};

const openProduct = async (t: TestContext, hosts: readonly string[]) => {
  const data = await temporaryDirectory(t);
  const log = recordingLog();
  const assay = await localAssay({
    environment: readEnvironment({ ASSAY_EGRESS: hosts.join(','), ASSAY_SOURCES: 'tenants' }),
    data,
    log,
    adminKey: KEY,
    configured: nothingConfigured,
    discover: async () => [],
  });
  t.after(() => assay.close());
  const app = createApp(assay);
  const said: string[] = [];
  const json = async (method: string, path: string, body?: unknown) => {
    const response = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    said.push(await response.clone().text());
    return { status: response.status, body: (response.status === 204 ? {} : await response.json()) as never };
  };
  return { json, said, data, log };
};

interface State {
  readonly status: string;
  readonly error?: string;
  readonly has_secret?: boolean;
  readonly tools: number;
}

test('X.16 X.17 a protected OpenAPI document becomes tools, and its secret is never shown', async (t) => {
  const api = await serveApi(t);
  const { json, said, data, log } = await openProduct(t, [api.host]);

  const added: { status: number; body: State } = await json('POST', '/v1/sources', {
    name: 'pets',
    kind: 'openapi',
    url: api.url,
    secret: SECRET,
    headers: { 'x-team': 'a-secret-team' },
    permission: 'safe',
  });
  assert.deepEqual(
    [added.status, added.body.status, added.body.has_secret, added.body.tools],
    [201, 'ok', true, 1],
    added.body.error,
  );
  const called: { body: { output: unknown } } = await json('POST', '/v1/tools/pets_getPet/invoke', {
    arguments: { id: 7 },
  });

  assert.deepEqual(called.body.output, { url: '/pets/7', you_are: '[secret]', team: '[secret]' });
  assert.equal(api.seen.at(-1)?.headers.authorization, `Bearer ${SECRET}`);
  for (const path of ['/v1/sources', '/v1/sources/pets', '/v1/executions', '/v1/snapshot', '/v1/audit'])
    await json('GET', path);
  assert.doesNotMatch(said.join('\n'), /ghp_this|a-secret-team/);
  assert.doesNotMatch(JSON.stringify(log.lines), /ghp_this|a-secret-team/);
  assert.doesNotMatch(readFileSync(`${data}/assay.db`).toString('latin1'), /ghp_this|a-secret-team/);
});

test('a secret in the query is sent with every request to an MCP server, and never shown', async (t) => {
  const upstream = await fakeUpstream(t, [{ name: 'echo', description: 'Says it', inputSchema: { type: 'object' } }]);
  const { json, said } = await openProduct(t, [new URL(upstream.url).host]);
  const secret = { type: 'query', name: 'api_key', value: SECRET };

  const url = `${upstream.url}?team=a`;
  const added: { body: State } = await json('POST', '/v1/sources', {
    name: 'q',
    kind: 'mcp',
    url,
    secret,
    permission: 'safe',
  });
  const called: { status: number } = await json('POST', '/v1/tools/q_echo/invoke', {});

  assert.deepEqual([added.body.status, called.status], ['ok', 200]);
  assert.ok(upstream.requests.length >= 3);
  for (const request of upstream.requests)
    assert.equal(new URL(request.url).search, `?team=a&api_key=${SECRET}`, request.method);
  assert.doesNotMatch(said.join('\n'), /ghp_this/);
});

test('X.17 an upstream’s lists, errors, files and refusals that repeat its secret are redacted', async (t) => {
  const echo = { name: 'echo', description: `Echoes for ${SECRET}`, inputSchema: { type: 'object' } };
  const upstream = await fakeUpstream(t, [echo]);
  upstream.answer = () => ({ isError: true, content: [{ type: 'text', text: `Bearer ${SECRET} is wrong` }] });
  const paths = { '/file': { get: { operationId: 'file', description: `For ${SECRET}` } } };
  const server = createServer(({ url, headers: { authorization = '' } }, response) => {
    if (url === '/file') response.writeHead(200, { 'content-type': 'image/png' }).end(`\x89PNG ${authorization} \0`);
    else response.end(JSON.stringify({ openapi: '3.1.0', paths }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { json, said, data, log } = await openProduct(t, [host, new URL(upstream.url).host]);

  const add = (name: string, kind: string, url: string) =>
    json('POST', '/v1/sources', { name, kind, url, secret: SECRET, permission: 'safe' });
  await add('mcp', 'mcp', upstream.url);
  const failed: { body: { error: { message: string } } } = await json('POST', '/v1/tools/mcp_echo/invoke', {});
  assert.match(failed.body.error.message, /\[secret\] is wrong/);
  Object.defineProperty(upstream, 'tools', {
    get: () => {
      throw new Error(`no tools for ${SECRET}`);
    },
  });
  const failing: { body: State } = await json('POST', '/v1/sources/mcp/refresh');
  assert.match(failing.body.error ?? '', /no tools for \[secret\]/);
  await add('files', 'openapi', `http://${host}/doc`);
  const file: { body: { output: { base64: string } } } = await json('POST', '/v1/tools/files_file/invoke', {});
  assert.match(Buffer.from(file.body.output.base64, 'base64').toString('latin1'), /PNG \*+ /);
  for (const path of ['/v1/sources', '/v1/tools', '/v1/executions', '/v1/snapshot', '/v1/tenants/default/export'])
    said.push(JSON.stringify(await json('GET', path).catch(() => '')));

  assert.doesNotMatch(said.join('\n'), /ghp_this/);
  assert.ok(!said.join('\n').includes(Buffer.from(SECRET).toString('base64').slice(4, 20)));
  assert.doesNotMatch(JSON.stringify(log.lines), /ghp_this/);
  assert.doesNotMatch(readFileSync(`${data}/assay.db`).toString('latin1'), /ghp_this/);
});

test('changing a source’s URL drops its secret, which is never sent to the new one', async (t) => {
  const [first, second] = [await serveApi(t), await serveApi(t)];
  const { json } = await openProduct(t, [first.host, second.host]);
  await json('POST', '/v1/sources', { name: 'pets', kind: 'openapi', url: first.url, secret: SECRET });

  const moved: { body: State } = await json('PATCH', '/v1/sources/pets', { url: second.url });
  assert.deepEqual([moved.body.status, moved.body.has_secret], ['failing', undefined]);
  assert.match(moved.body.error ?? '', /401/);
  assert.ok(second.seen.length > 0);
  assert.ok(second.seen.every(({ headers }) => headers.authorization === undefined));

  const given: { body: State } = await json('PATCH', '/v1/sources/pets', { secret: 'another-secret' });
  assert.deepEqual([given.body.status, given.body.has_secret], ['ok', true], given.body.error);
  assert.equal(second.seen.at(-1)?.headers.authorization, 'Bearer another-secret');
  const taken: { body: State } = await json('PATCH', '/v1/sources/pets', { secret: null });
  assert.deepEqual([taken.body.status, taken.body.has_secret], ['failing', undefined]);
});

test('OAuth client credentials are exchanged for a token, once per lifetime', async (t) => {
  const api = await serveApi(t);
  const { json } = await openProduct(t, [api.host]);
  const secret = (client_secret: string) => ({
    type: 'oauth',
    token_url: `http://${api.host}/token`,
    client_id: 'me',
    client_secret,
    scope: 'read',
  });
  const source = { name: 'pets', kind: 'openapi', url: api.url, permission: 'safe' };

  const wrong: { body: State } = await json('POST', '/v1/sources', { ...source, secret: secret('not-this') });
  assert.match(wrong.body.error ?? '', /issued no token: 401 invalid_client/);
  const right: { body: State } = await json('PATCH', '/v1/sources/pets', { secret: secret(SECRET) });
  assert.equal(right.body.status, 'ok', right.body.error);
  await json('POST', '/v1/tools/pets_getPet/invoke', { arguments: { id: 1 } });
  await json('POST', '/v1/tools/pets_getPet/invoke', { arguments: { id: 2 } });

  assert.equal(api.seen.at(-1)?.headers.authorization, 'Bearer token-of-the-server');
  assert.equal(api.tokens(), 2);
});

test('X.16 a source may be given its OpenAPI document, and its operations are called at the source’s URL', async (t) => {
  const api = await serveApi(t);
  const { json } = await openProduct(t, [api.host]);
  const operation = (operationId: string) => ({ openapi: '3.1.0', paths: { '/a': { get: { operationId } } } });
  const source = { name: 'given', kind: 'openapi', url: `http://${api.host}/v2/`, secret: SECRET, permission: 'safe' };

  const added: { body: State } = await json('POST', '/v1/sources', { ...source, document: operation('first') });
  assert.deepEqual([added.body.status, added.body.tools], ['ok', 1], added.body.error);
  const called: { body: { output: unknown } } = await json('POST', '/v1/tools/given_first/invoke', { arguments: {} });
  assert.deepEqual((called.body.output as { url: string }).url, '/v2/a');
  assert.ok(
    api.seen.every(({ url }) => url === '/v2/a'),
    'nothing else was fetched',
  );

  const changed: { body: State & { drift: readonly { tool: string }[] } } = await json('PATCH', '/v1/sources/given', {
    document: JSON.stringify(operation('second')),
  });
  assert.equal(changed.body.status, 'ok', changed.body.error);
  assert.deepEqual(changed.body.drift.map(({ tool }) => tool).sort(), ['given_first', 'given_second']);
  const wrong = await json('POST', '/v1/sources', { ...source, name: 'm', kind: 'mcp', document: operation('x') });
  assert.equal(wrong.status, 400);
});

test('a source at a forbidden address says so and has no tools', async (t) => {
  const { json } = await openProduct(t, []);
  for (const url of [
    'http://127.0.0.1:9/openapi.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
  ]) {
    const name = `s${url.length}`;
    const added: { status: number; body: State } = await json('POST', '/v1/sources', { name, kind: 'openapi', url });
    assert.deepEqual([added.status, added.body.status, added.body.tools], [201, 'failing', 0]);
    assert.match(added.body.error ?? '', /may not be reached: .*ASSAY_EGRESS/);
  }
});
