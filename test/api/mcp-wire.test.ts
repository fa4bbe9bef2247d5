import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const message = (method: string, params: Readonly<Record<string, unknown>> = {}, meta: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  params: { ...params, _meta: { ...envelope, ...meta } },
});

const headersFor = (method: string, name?: string): Record<string, string> => ({
  ...ACCEPT,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

interface Reply {
  readonly status: number;
  readonly id: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  readonly error: { readonly code?: number; readonly message?: string; readonly data?: unknown };
  readonly headers: Headers;
}

const post = async (
  given: TestAssay,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  key: string = ADMIN_KEY,
): Promise<Reply> => {
  const response = await given.request('POST', '/mcp', body, key, { ...headers });
  const text = await response.text();
  const { id, result = {}, error = {} } = (text === '' ? {} : JSON.parse(text)) as Partial<Reply>;
  return { status: response.status, id, result, error, headers: response.headers };
};

const start = async (): Promise<TestAssay> => {
  const given = await testAssay();
  await given.json('POST', '/v1/tools', aTool());
  return given;
};

describe('the stateless protocol of 2026-07-28 on the wire', () => {
  test('server/discover lists versions and capabilities, and how long they may be cached', async () => {
    const { status, result } = await post(await start(), message('server/discover'), headersFor('server/discover'));

    assert.equal(status, 200);
    assert.deepEqual(result.supportedVersions, ['2026-07-28']);
    assert.deepEqual(Object.keys(result.capabilities ?? {}).sort(), ['logging', 'resources', 'tools']);
    assert.equal(result.resultType, 'complete');
    assert.equal(result.cacheScope, 'private');
    assert.ok(Number(result.ttlMs) > 0);
  });

  test('tools/list is one JSON response without a session, with its cache scope and lifetime', async () => {
    const { id, result, headers } = await post(await start(), message('tools/list'), headersFor('tools/list'));

    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('mcp-session-id'), null);
    assert.equal(id, 7);
    assert.equal(result.resultType, 'complete');
    assert.equal(result.cacheScope, 'private');
    assert.equal(result.ttlMs, 60_000);
    assert.equal((result.tools as unknown[]).length, 1);
  });

  test('a call that needs consent returns the elicitation and the token to retry with', async () => {
    const given = await testAssay();
    await given.json('POST', '/v1/tools', aTool({ permission: 'confirm' }));
    const params = { name: 'weather_lookup', arguments: { city: 'Paris' } };
    const asking = {
      ...envelope,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const headers = headersFor('tools/call', 'weather_lookup');
    const call = (more: Readonly<Record<string, unknown>>) =>
      post(
        given,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...more, _meta: asking } },
        headers,
      );

    const asked = await call({});
    const requests = asked.result.inputRequests as Record<string, { method: string }>;
    const { requestState } = asked.result;
    const inputResponses = { consent: { action: 'accept', content: {} } };
    const done = await call({ requestState, inputResponses });
    const replayed = await call({ requestState, inputResponses });
    const forged = await call({ requestState: 'made up', inputResponses });

    assert.equal(asked.result.resultType, 'input_required');
    assert.equal(requests.consent?.method, 'elicitation/create');
    assert.deepEqual(done.result.structuredContent, { temperature: 21 });
    assert.equal(replayed.result.isError, true);
    assert.equal(forged.result.isError, true);
  });

  test('headers that are missing or contradict the body are refused', async () => {
    const given = await start();
    const call = message('tools/call', { name: 'weather_lookup', arguments: { city: 'x' } });

    const missing = await post(given, call, { ...ACCEPT, 'mcp-protocol-version': '2026-07-28' });
    const other = await post(given, call, headersFor('tools/list'));
    const otherName = await post(given, call, headersFor('tools/call', 'another'));

    for (const { status, error } of [missing, other, otherName]) {
      assert.equal(status, 400);
      assert.equal(error.code, -32_020);
    }
  });

  test('an unknown protocol version is refused with the supported ones', async () => {
    const strange = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: strange } };
    const headers = { ...headersFor('tools/list'), 'mcp-protocol-version': '2031-01-01' };

    const reply = await post(await start(), body, headers);

    assert.equal(reply.status, 400);
    assert.equal(reply.error.code, -32_022);
    assert.deepEqual((reply.error.data as { supported: unknown }).supported, ['2026-07-28']);
  });
});

describe('earlier MCP versions on the wire', () => {
  const initialize = (capabilities: unknown) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 't', version: '1' } },
  });

  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])
    test(`initialize agrees on ${version}`, async () => {
      const request = initialize({});
      const asked = { ...request, params: { ...request.params, protocolVersion: version } };

      const { result } = await post(await start(), asked, ACCEPT);

      assert.equal(result.protocolVersion, version);
      assert.equal((result.serverInfo as { name: string }).name, 'assay');
    });

  test('only a client with elicitation gets a session, and an unknown session must start again', async () => {
    const given = await start();

    const plain = await post(given, initialize({}), ACCEPT);
    const asking = await post(given, initialize({ elicitation: {} }), ACCEPT);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const session = asking.headers.get('mcp-session-id') ?? '';
    const known = await post(given, list, { ...ACCEPT, 'mcp-session-id': session });
    const strange = await post(given, list, { ...ACCEPT, 'mcp-session-id': 'something-else' });

    assert.equal(plain.headers.get('mcp-session-id'), null);
    assert.match(session, /^[\x21-\x7e]+$/);
    assert.equal((known.result.tools as unknown[]).length, 1);
    assert.equal(strange.status, 404);
  });

  test('ping is answered, a notification accepted, and an unknown method refused', async () => {
    const given = await start();

    const ping = await post(given, { jsonrpc: '2.0', id: 1, method: 'ping' }, ACCEPT);
    const note = await post(given, { jsonrpc: '2.0', method: 'notifications/initialized' }, ACCEPT);
    const unknown = await post(given, { jsonrpc: '2.0', id: 1, method: 'tools/destroy' }, ACCEPT);

    assert.deepEqual(ping.result, {});
    assert.equal(note.status, 202);
    assert.equal(unknown.error.code, -32_601);
  });
});

describe('requests that are not MCP', () => {
  test('an MCP request without a valid key is refused before its body is read', async () => {
    const given = await start();

    const none = await given.app.request('/mcp', { method: 'POST', body: '{}' });
    const wrong = await given.request('POST', '/mcp', '{}', 'ak_nobody');

    assert.equal(none.status, 401);
    assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="assay"');
    assert.equal(wrong.status, 401);
  });

  test('another HTTP method, content type, body or mode is refused with what to do', async () => {
    const given = await start();

    const get = await given.request('GET', '/mcp');
    const broken = await post(given, '{"jsonrpc":', ACCEPT);
    const form = await given.request('POST', '/mcp', 'a=b', ADMIN_KEY, { 'content-type': 'text/plain' });
    const mode = await given.request('POST', '/mcp?mode=all', '{}');
    const large = await given.request('POST', '/mcp', 'x'.repeat(4_200_000));

    assert.equal(get.status, 405);
    assert.equal(get.headers.get('allow'), 'POST');
    assert.equal(broken.status, 400);
    assert.equal(broken.error.code, -32_700);
    assert.equal(form.status, 415);
    assert.equal(mode.status, 400);
    assert.match(await mode.text(), /mode=search/);
    assert.equal(large.status, 413);
  });

  test('arguments with an infinite number, or nested too deep, are refused by what is wrong with them', async () => {
    const given = await start();
    const call = (text: string) =>
      given.request('POST', '/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${text}}}`);

    const huge = await call('{"value":1e999}');
    const deep = await call(`${'['.repeat(5000)}${']'.repeat(5000)}`);

    assert.deepEqual([huge.status, deep.status], [400, 400]);
    assert.match(await huge.text(), /larger than 1\.79.*e\+308 at params\.arguments\.value; send a smaller one/);
    assert.match(await deep.text(), /nested deeper than 128 levels/);
  });

  test('an unexpected error reveals nothing internal to the MCP client', async () => {
    const given = await start();
    const broken = { ...given.assay.catalogs, of: () => Promise.reject(new Error('secret table name')) };
    const app = createApp({ ...given.assay, catalogs: broken });

    const response = await app.request('/mcp', {
      method: 'POST',
      headers: {
        ...headersFor('tools/list'),
        'content-type': 'application/json',
        authorization: `Bearer ${ADMIN_KEY}`,
      },
      body: JSON.stringify(message('tools/list')),
    });
    const text = await response.text();

    assert.match(text, /something went wrong/);
    assert.ok(!text.includes('secret'));
    assert.ok(given.log.lines.some(({ fields }) => fields.error === 'secret table name'));
  });
});

describe('DNS rebinding', () => {
  const loopback = { incoming: { socket: { localAddress: '127.0.0.1' } } };
  const send = async (url: string, headers: Record<string, string>, env: unknown = {}, names = {}) => {
    const { assay } = await start();
    const init = {
      method: 'POST',
      headers: {
        ...headersFor('tools/list'),
        ...headers,
        'content-type': 'application/json',
        authorization: `Bearer ${ADMIN_KEY}`,
      },
      body: JSON.stringify(message('tools/list')),
    };
    return (await createApp(assay, names).fetch(new Request(url, init), env as never)).status;
  };

  test('on the loopback only loopback hosts are accepted', async () => {
    assert.equal(await send('http://localhost:8787/mcp', { host: 'localhost:8787' }, loopback), 200);
    assert.equal(await send('http://127.0.0.1:8787/mcp', { host: '127.0.0.1:8787' }, loopback), 200);
    assert.equal(await send('http://[::1]:8787/mcp', { host: '[::1]:8787' }, loopback), 200);
    assert.equal(await send('http://evil.example/mcp', { host: 'evil.example' }, loopback), 403);
    assert.equal(
      await send('http://proxy.example/mcp', { host: 'proxy.example' }, loopback, { hosts: ['proxy.example'] }),
      200,
    );
  });

  test('only pages of the same host or of an allowed origin may call MCP', async () => {
    const url = 'https://assay.example/mcp';
    assert.equal(await send(url, { origin: 'https://assay.example' }), 200);
    assert.equal(await send(url, { origin: 'https://evil.example' }), 403);
    assert.equal(await send(url, { origin: 'null' }), 403);
    assert.equal(await send(url, { origin: 'https://app.example' }, {}, { origins: ['app.example'] }), 200);
    assert.equal(await send('http://localhost:8787/mcp', { origin: 'http://127.0.0.1:3000' }), 200);
  });
});

describe('MCP lists from cached bytes', () => {
  const legacy = { ...ACCEPT, 'mcp-protocol-version': '2025-06-18' };
  const asks = {
    modern: { body: message('tools/list'), headers: headersFor('tools/list') },
    legacy: { body: { jsonrpc: '2.0', id: 'seven', method: 'tools/list', params: {} }, headers: legacy },
  };

  for (const [era, { body, headers }] of Object.entries(asks))
    test(`the cached ${era} list equals the one that the MCP package builds, and follows a change at once`, async () => {
      const given = await start();
      // A field that no list request has is answered by the package.
      const unusual = { ...body, params: { ...body.params, unusual: 1 } };
      const both = async () => [await post(given, body, headers), await post(given, unusual, headers)] as const;

      const [kept, made] = await both();
      await given.json('POST', '/v1/tools', aTool({ name: 'another', description: 'Ünïcode 🙂 "quoted"' }));
      const [keptLater, madeLater] = await both();

      assert.deepEqual([kept.status, kept.id, kept.result], [made.status, made.id, made.result]);
      assert.deepEqual(keptLater.result, madeLater.result);
      assert.equal((keptLater.result.tools as unknown[]).length, 2);
      assert.ok(
        kept.headers.get('x-content-type-options') === 'nosniff' && !made.headers.has('x-content-type-options'),
      );
    });

  test('cached lists refuse a key without read, a cursor of another list and a wrong header', async () => {
    const given = await start();
    const invoker = await given.key({ scopes: ['invoke'] });

    const unread = await post(given, asks.modern.body, asks.modern.headers, invoker);
    const cursor = await post(given, message('tools/list', { cursor: 'other' }), headersFor('tools/list'));
    const header = await post(given, message('tools/list'), headersFor('tools/call'));

    assert.match(unread.error.message ?? '', /needs read/);
    assert.equal(cursor.error.code, -32_602);
    assert.equal(header.error.code, -32_020);
  });

  test('a confined key gets only its own tools from the cached list', async () => {
    const given = await start();
    await given.json('POST', '/v1/tools', aTool({ name: 'other' }));
    const key = await given.key({ scopes: ['read'], tools: ['other'] });

    await post(given, asks.modern.body, asks.modern.headers);
    const { result } = await post(given, asks.modern.body, asks.modern.headers, key);

    assert.deepEqual(
      (result.tools as readonly { readonly name: string }[]).map(({ name }) => name),
      ['other'],
    );
  });
});

describe('the fast path for tools/call answers as the MCP package does', () => {
  const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
  const callOf = (name: string, args: unknown, capabilities: object, more: object = {}) =>
    message('tools/call', { name, arguments: args, ...more }, { [CAPABILITIES]: capabilities });
  /** What differs between any two calls. */
  const comparable = ({ status, id, result, error }: Reply): unknown =>
    JSON.parse(
      JSON.stringify({ status, id, result, error }).replace(
        /"(assay\/(call_id|duration_ms|cached|charged_micros)|requestState|token|taskId|createdAt|lastUpdatedAt)":("[^"]*"|[^,}]+)/g,
        '"$1":0',
      ),
    );

  const cases: readonly (readonly [what: string, name: string, args: unknown, capabilities?: object])[] = [
    ['an output', 'weather_lookup', { city: 'Bern' }],
    ['wrong arguments', 'weather_lookup', { city: 7 }],
    ['an unknown tool', 'nobody', {}],
    ['arguments that are no object', 'weather_lookup', [1]],
    ['a text', 'text', { city: 'Bern' }],
    ['null', 'nothing', { city: 'Bern' }],
    ['content of its own', 'own', { city: 'Bern' }],
    ['an image of its own', 'picture', { city: 'Bern' }],
    ['consent where nobody can be asked', 'asking', { city: 'Bern' }],
    ['consent by a form', 'asking', { city: 'Bern' }, { elicitation: {} }],
    ['consent on a page', 'asking', { city: 'Bern' }, { elicitation: { url: {} }, roots: { listChanged: true } }],
    ['capabilities that are none', 'weather_lookup', { city: 'Bern' }, { elicitation: 7 }],
  ];
  const mock = (name: string, mock_response: unknown) =>
    aTool({ name, handler: name, implementation: { type: 'mock', mock_response } });
  const startAll = async (): Promise<TestAssay> => {
    const given = await start();
    await given.json('POST', '/v1/tools', mock('text', 'sunny, "21" °C'));
    await given.json('POST', '/v1/tools', mock('nothing', null));
    await given.json('POST', '/v1/tools', mock('own', { content: [{ type: 'text', text: 'mine' }] }));
    const picture = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    await given.json('POST', '/v1/tools', mock('picture', { content: [picture] }));
    await given.json('POST', '/v1/tools', aTool({ name: 'asking', permission: 'confirm' }));
    return given;
  };

  test('the fast path answers as the package does, whatever the outcome of the call', async () => {
    const given = await startAll();
    // The second of two equal questions is told as one that still waits.
    await post(given, callOf('asking', { city: 'Bern' }, {}), headersFor('tools/call', 'asking'));
    const failures: string[] = [];
    for (const [what, name, args, capabilities = {}] of cases) {
      const headers = headersFor('tools/call', name);
      const ours = await post(given, callOf(name, args, capabilities), headers);
      // A field that no call has is answered by the package.
      const theirs = await post(given, callOf(name, args, capabilities, { unusual: 1 }), headers);
      try {
        assert.deepEqual(comparable(ours), comparable(theirs));
      } catch (thrown) {
        failures.push(`${what}: ${(thrown as Error).message}`);
      }
    }
    assert.deepEqual(failures, []);
  });

  test('the fast path refuses a key without invoke, and a tool name that differs between header and body', async () => {
    const given = await startAll();
    const reader = await given.key({ scopes: ['read'] });
    const args = { city: 'Bern' };
    const headers = headersFor('tools/call', 'weather_lookup');

    const ours = await post(given, callOf('weather_lookup', args, {}), headers, reader);
    const theirs = await post(given, callOf('weather_lookup', args, {}, { unusual: 1 }), headers, reader);
    const mismatch = await post(given, callOf('text', args, {}), headers);

    assert.match(ours.error.message ?? '', /invoke/);
    assert.deepEqual(comparable(ours), comparable(theirs));
    assert.equal(mismatch.error.code, -32_020);
  });

  test('ordinary tools/call requests take the fast path, others go to the package’s server', async () => {
    const given = await startAll();
    const headers = headersFor('tools/call', 'weather_lookup');
    const isOrdinary = async (body: object) =>
      (await post(given, body, headers)).headers.get('x-content-type-options') === 'nosniff';
    const args = { city: 'Bern' };
    const progress = message('tools/call', { name: 'weather_lookup', arguments: args }, { progressToken: 1 });

    assert.equal(await isOrdinary(callOf('weather_lookup', args, {})), true);
    assert.equal(await isOrdinary(callOf('weather_lookup', args, {}, { unusual: 1 })), false);
    const response = await given.request('POST', '/mcp', progress, ADMIN_KEY, headers);
    await response.text();
    assert.notEqual(response.headers.get('x-content-type-options'), 'nosniff');
  });
});
