import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SourceView } from '../../shared/sources/view.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { fakeUpstream, serveHttp } from '../support/mcp-upstream.ts';
import { testSources } from '../support/sources.ts';

const tool = (name: string, more: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  ...more,
});

type Reply = (method: string, params: Record<string, unknown>) => unknown;

/** Answers JSON-RPC of the earlier protocol by hand, so that the answers can be wrong. */
const rawUpstream = async (t: Parameters<typeof serveHttp>[0], reply: Reply): Promise<string> => {
  const { url } = await serveHttp(t, async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method, params = {} } = (await request.json()) as { id?: number; method: string; params?: never };
    if (method === 'server/discover')
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
    if (id === undefined) return new Response(null, { status: 202 });
    const initialized = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1' },
    };
    const result = method === 'initialize' ? initialized : await reply(method, params);
    return result instanceof Response ? result : Response.json({ jsonrpc: '2.0', id, result });
  });
  return url;
};

const start = async (t: Parameters<typeof serveHttp>[0]): Promise<TestAssay> => {
  const product = await testAssay({ sources: testSources() });
  t.after(() => product.assay.close());
  return product;
};

const add = async (product: TestAssay, url: string): Promise<SourceView> => {
  const { status, body } = await product.json<SourceView>('POST', '/v1/sources', { name: 'bad', kind: 'mcp', url });
  assert.equal(status, 201);
  return body;
};

describe('X.16 an upstream that misbehaves', () => {
  const cases: readonly (readonly [string, Reply, RegExp])[] = [
    ['with a cursor that loops', () => ({ tools: [tool('a')], nextCursor: 'again' }), /does not end.*again.*twice/],
    ['with an invalid list', () => ({ tools: 'many' }), /./],
    [
      'with invalid JSON-RPC',
      () => new Response('{"jsonrpc":"2.0","id":', { headers: { 'content-type': 'application/json' } }),
      /./,
    ],
    ['with an error', () => new Response('broken', { status: 500 }), /500|broken/],
    [
      'with 50,000 tools',
      () => ({ tools: Array.from({ length: 50_000 }, (_, at) => tool(`t${at}`)) }),
      /more than 10000 tools/,
    ],
  ];
  for (const [what, reply, expected] of cases)
    test(`a source ${what} is failing, says so and keeps its last good tools`, async (t) => {
      let isBad = false;
      const url = await rawUpstream(t, (method, params) => (isBad ? reply(method, params) : { tools: [tool('good')] }));
      const product = await start(t);
      assert.equal((await add(product, url)).status, 'ok');
      isBad = true;
      const { body } = await product.json<SourceView>('POST', '/v1/sources/bad/refresh');
      assert.equal(body.status, 'failing');
      assert.match(body.error ?? '', expected);
      assert.equal(body.tools, 1);
      assert.equal((await product.json('GET', '/v1/tools/bad_good')).status, 200);
      isBad = false;
      assert.equal((await product.json<SourceView>('POST', '/v1/sources/bad/refresh')).body.status, 'ok');
    });

  test('a source with invalid tools registers the others and reports the problems', async (t) => {
    const url = await rawUpstream(t, () => ({
      tools: [
        tool('good'),
        tool('good', { description: 'again' }),
        tool('no-schema', { inputSchema: 'text' }),
        tool('wrong-schema', { inputSchema: { type: 'object', properties: { a: { type: 'strong' } } } }),
        tool('a b', { inputSchema: { type: 'object', title: 'of a name that is none here' } }),
        { description: 'nameless' },
        tool('long', { description: 'x'.repeat(9000) }),
      ],
    }));
    const { status, tools, problems = [] } = await add(await start(t), url);
    assert.equal(status, 'ok');
    assert.equal(tools, 2);
    assert.deepEqual(problems.map(({ tool: name }) => name).sort(), ['', 'good', 'long', 'no-schema', 'wrong-schema']);
    assert.ok(problems.some(({ reason }) => /two tools of this name/.test(reason)));
  });

  test('a source’s tool that becomes invalid stays as it was approved, and its problem is reported', async (t) => {
    let tools = [tool('good'), tool('other')];
    const url = await rawUpstream(t, (method) => (method === 'tools/list' ? { tools } : { content: [] }));
    const product = await start(t);
    await product.json('POST', '/v1/sources', { name: 'bad', kind: 'mcp', url, permission: 'safe' });
    const broken = [
      { inputSchema: 'text' },
      { inputSchema: { type: 'object', properties: { a: { type: 'strong' } } } },
    ];
    for (const more of broken) {
      tools = [tool('good', more)];
      const { body } = await product.json<SourceView>('POST', '/v1/sources/bad/refresh');
      assert.equal(body.status, 'ok');
      assert.deepEqual(
        body.problems?.map((problem) => problem.tool),
        ['good'],
      );
      assert.equal((await product.json('POST', '/v1/tools/bad_good/invoke', { arguments: {} })).status, 200);
      // What it does not list at all is gone.
      assert.equal((await product.json('POST', '/v1/tools/bad_other/invoke', { arguments: {} })).status, 503);
    }
  });

  test('a source that hangs does not delay others, and a call of its tool times out', {
    timeout: 20_000,
  }, async (t) => {
    const url = await rawUpstream(t, (method) =>
      method === 'tools/list' ? { tools: [tool('slow')] } : new Promise(() => {}),
    );
    const product = await start(t);
    await add(product, url);
    const giveUp = new AbortController();
    const calling = product.app.request('/v1/tools/bad_slow/invoke', {
      method: 'POST',
      headers: { authorization: 'Bearer admin-key-for-tests', 'content-type': 'application/json' },
      body: '{"arguments":{}}',
      signal: giveUp.signal,
    });
    assert.equal((await product.json('GET', '/v1/sources')).status, 200);
    giveUp.abort();
    await Promise.allSettled([calling]);
  });

  test('a source that cannot be reached is added, with the reason', async (t) => {
    const { status, error, tools } = await add(await start(t), 'http://127.0.0.1:1/mcp');
    assert.equal(status, 'failing');
    assert.equal(tools, 0);
    assert.ok(error);
  });

  test('a source’s tools whose names are taken leave the existing tools unchanged', async (t) => {
    const upstream = await fakeUpstream(t, [tool('taken')]);
    const product = await start(t);
    const mock = {
      ...tool('bad_taken'),
      inputSchema: undefined,
      type: 'function',
      handler: 'x',
      parameters: { type: 'object' },
      implementation: { type: 'mock', mock_response: 1 },
    };
    assert.equal((await product.json('POST', '/v1/tools', mock)).status, 201);
    const { tools, problems } = await add(product, upstream.url);
    assert.equal(tools, 0);
    assert.match(problems?.[0]?.reason ?? '', /is taken by another tool/);
  });
});

describe('X.05 two processes on one store', () => {
  test('two processes refresh a source one at a time, and a removed source registers nothing more', async (t) => {
    let go: () => void = () => {};
    const wait = new Promise<void>((resolve) => {
      go = resolve;
    });
    let isSlow = false;
    const url = await rawUpstream(t, async () => {
      if (isSlow) await wait;
      return { tools: isSlow ? [tool('good'), tool('more')] : [tool('good')] };
    });
    const first = await start(t);
    await add(first, url);
    const second = await testAssay({ sources: testSources(), table: first.assay.table });
    isSlow = true;
    const refreshing = first.json<SourceView>('POST', '/v1/sources/bad/refresh');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const refused = await second.json<{ error: { code: string } }>('POST', '/v1/sources/bad/refresh');
    assert.equal(refused.status, 409);
    assert.equal((await second.json<SourceView>('GET', '/v1/sources/bad')).body.refreshing, true);
    assert.equal((await second.json('DELETE', '/v1/sources/bad')).status, 204);
    go();
    assert.equal((await refreshing).status, 404);
    const { body } = await second.json<{ tools: unknown[] }>('GET', '/v1/tools?include_disabled=true');
    assert.deepEqual(body.tools, []);
    await second.assay.sources.close();
  });
});
