import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { createSafeFetch } from '../../shared/adapters/egress/safe-fetch.ts';
import { connectHttp } from '../../shared/adapters/mcp/connect.ts';
import { mcpUpstream } from '../../shared/adapters/mcp/mcp-upstream.ts';
import type { CallContext } from '../../shared/kernel/ports.ts';
import { testAssay } from '../support/assay.ts';
import { serveHttp } from '../support/mcp-upstream.ts';
import { testSources } from '../support/sources.ts';

interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly name?: string; readonly _meta?: Readonly<Record<string, unknown>> };
}

const result = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const reply = (id: unknown, rest: object, init?: ResponseInit): Response =>
  Response.json({ jsonrpc: '2.0', id, ...rest }, init);
const events = (...parts: readonly string[]): Response => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
};

/** A server of 2026-07-28 that answers calls as a test likes. */
const serveCalls = async (t: TestContext, answer: (message: Message) => Response) => {
  const calls: { readonly message: Message; readonly headers: Headers }[] = [];
  const { url } = await serveHttp(t, async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const message = (await request.json()) as Message;
    const { id, method } = message;
    if (method === 'server/discover')
      return reply(id, {
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          serverInfo: { name: 'plain', version: '1' },
          ttlMs: 0,
          cacheScope: 'private',
        },
      });
    if (method === 'tools/list') {
      const tools = [{ name: 'do', description: 'Does it', inputSchema: { type: 'object' } }];
      return reply(id, { result: { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' } });
    }
    calls.push({ message, headers: request.headers });
    return answer(message);
  });
  const { host } = new URL(url);
  const guarded = connectHttp({
    url: `${url}/mcp`,
    fetch: createSafeFetch({ allowed: readAllowList(host) }),
    credentials: async () => ({ headers: {}, query: {} }),
    follows: false,
  });
  const { json, assay } = await testAssay({ sources: testSources() });
  t.after(() => assay.close());
  const added = await json<{ status: string; error?: string }>('POST', '/v1/sources', {
    name: 'up',
    kind: 'mcp',
    url: `${url}/mcp`,
    permission: 'safe',
  });
  assert.equal(added.body.status, 'ok', added.body.error);
  const invoke = async () => {
    const { body } = await json<{ output?: unknown; error?: { type: string; message: string } }>(
      'POST',
      '/v1/tools/up_do/invoke',
      { arguments: { text: 'hi' } },
    );
    return body;
  };
  return { invoke, calls, upstream: mcpUpstream(guarded, () => {}) };
};

describe('calls to a stateless MCP server', () => {
  test('a call to a stateless MCP server is one request that identifies the caller, in headers and body', async (t) => {
    const { invoke, calls } = await serveCalls(t, ({ id }) => reply(id, { result }));

    assert.equal((await invoke()).output, 'done');

    const [only] = calls;
    assert.equal(calls.length, 1);
    assert.equal(only?.headers.get('mcp-method'), 'tools/call');
    assert.equal(only?.headers.get('mcp-name'), 'do');
    assert.equal(only?.headers.get('mcp-protocol-version'), '2026-07-28');
    const meta = only?.message.params._meta ?? {};
    assert.equal(meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
    assert.ok(meta['io.modelcontextprotocol/clientInfo']);
    assert.ok(meta['io.modelcontextprotocol/clientCapabilities']);
  });

  test('a stateless MCP server may answer with a stream, after notifications, split anywhere', async (t) => {
    const told = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'on its way' } };
    const { invoke } = await serveCalls(t, ({ id }) => {
      const text = `: hello\r\n\r\nevent: message\ndata: ${JSON.stringify(told)}\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, content: [{ type: 'text', text: 'grüße' }] } })}\n\n`;
      return events(...text);
    });

    assert.equal((await invoke()).output, 'grüße');
  });

  const failures: readonly (readonly [string, (message: Message) => Response, RegExp])[] = [
    ['an error', ({ id }) => reply(id, { error: { code: -32602, message: 'no such thing' } }), /no such thing/],
    [
      'an error with the status 400',
      ({ id }) => reply(id, { error: { code: -32602, message: 'no such thing' } }, { status: 400 }),
      /no such thing/,
    ],
    ['the status 500', () => new Response('it broke', { status: 500 }), /500.*it broke/],
    ['no JSON', () => new Response('{"jsonrpc":', { headers: { 'content-type': 'application/json' } }), /no result/],
    ['another id', () => reply(77, { result }), /no result/],
    ['a list', ({ id }) => Response.json([{ jsonrpc: '2.0', id, result }]), /no result/],
    ['content that is no list', ({ id }) => reply(id, { result: { content: 'done' } }), /no result/],
    ['blocks without a type', ({ id }) => reply(id, { result: { content: [{}] } }), /no result/],
    ['a result of a kind nobody asked for', ({ id }) => reply(id, { result: { resultType: 'task' } }), /no result/],
    ['a stream that ends early', () => events('data: {"jsonrpc":"2.0",'), /without a result/],
    ['a stream of notifications alone', () => events('data: {"jsonrpc":"2.0","method":"x"}\n\n'), /without a result/],
    [
      'a result that says that it failed',
      ({ id }) => reply(id, { result: { content: [{ type: 'text', text: 'it failed' }], isError: true } }),
      /it failed/,
    ],
  ];
  for (const [what, answer, expected] of failures) {
    test(`${what} fails the call, which is not retried`, async (t) => {
      const { invoke, calls } = await serveCalls(t, answer);

      const { error } = await invoke();

      assert.match(error?.message ?? '', expected);
      assert.equal(calls.length, 1);
    });
  }

  for (const type of ['application/json', 'text/event-stream'])
    test(`an endless response as ${type} is cut off, and so is one whose caller left`, async (t) => {
      let isClosed = Promise.withResolvers<void>();
      const endless = (piece: Uint8Array, pauseMs: number) => {
        let isOver = false;
        return new ReadableStream<Uint8Array>({
          async pull(controller) {
            await setTimeout(pauseMs);
            if (!isOver) controller.enqueue(piece);
          },
          cancel() {
            isOver = true;
            isClosed.resolve();
          },
        });
      };
      let body = () => endless(new Uint8Array(1 << 20).fill(0x20), 0);
      const { upstream } = await serveCalls(t, () => new Response(body(), { headers: { 'content-type': type } }));
      const call = (signal: AbortSignal) => upstream.call('do', {}, { signal } as CallContext);

      await assert.rejects(() => call(new AbortController().signal), /answers more than 33554432 bytes/);
      await isClosed.promise;

      isClosed = Promise.withResolvers();
      body = () => endless(new Uint8Array(1).fill(0x20), 20);
      const giveUp = new AbortController();
      const calling = call(giveUp.signal);
      void setTimeout(100).then(() => giveUp.abort(new Error('nobody waits')));
      await assert.rejects(() => calling, /nobody waits/);
      await isClosed.promise;
      await upstream.close?.();
    });

  test('a call is repeated by the client where the server elicits, and the question is cancelled', async (t) => {
    const question = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
    };
    const { invoke, calls } = await serveCalls(t, (message) => {
      const { inputResponses } = message.params as { inputResponses?: { sure?: { action?: string } } };
      if (!inputResponses)
        return reply(message.id, { result: { resultType: 'input_required', inputRequests: { sure: question } } });
      return reply(message.id, {
        result: { ...result, content: [{ type: 'text', text: inputResponses.sure?.action }] },
      });
    });

    const { output, error } = await invoke();

    assert.equal(output, 'cancel', error?.message);
    assert.equal(calls.length, 3);
  });

  test('a call copies arguments into headers where the server requires it', async (t) => {
    const { invoke, calls } = await serveCalls(t, ({ id }) =>
      calls.length === 1
        ? reply(id, { error: { code: -32020, message: 'Mcp-Param-Text is missing' } }, { status: 400 })
        : reply(id, { result }),
    );

    assert.equal((await invoke()).output, 'done');
    assert.equal(calls.length, 2);
  });
});
