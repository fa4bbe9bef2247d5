import assert from 'node:assert/strict';
import { request as ask } from 'node:http';
import { describe, test } from 'node:test';
import { listen } from '../../functions/cli/listen.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { testAssay } from '../support/assay.ts';
import { assayWith } from '../support/execution.ts';

interface Refusal {
  readonly error: { readonly code: string; readonly message: string; readonly details: { readonly issues: unknown[] } };
}

describe('bounded work per request', () => {
  test('an error lists at most twenty fields, whatever the body has', async () => {
    const { json } = await testAssay();
    const many = Object.fromEntries(Array.from({ length: 18_000 }, (_, n) => [`field_${n}`, n]));

    const { body } = await json<Refusal>('POST', '/v1/feedback', many);

    const text = JSON.stringify(body);
    assert.ok(text.length < 4000, `${text.length} characters`);
    assert.match(text, /and 17980 more/);
  });

  test('X.06 an object of more than 20,000 fields is refused before it is parsed, and a long list is not an object', async () => {
    const { json } = await testAssay();
    const fields = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k"\\${n}`, value]));
    for (const [many, status] of [
      [fields(20_001, 1), 413],
      [{ a: [{ b: fields(20_001, { 'c:': {} }) }] }, 413],
      [fields(19_999, { 'c:': ':' }), 400],
    ] as const) {
      const answer = await json<Refusal>('POST', '/v1/feedback', many);
      assert.equal(answer.status, status);
      if (status === 413) assert.match(answer.body.error.message, /more than 20000 fields in one object; send a list/);
    }

    const list = Array.from({ length: 60_000 }, (_, n) => ({ n }));
    assert.equal((await json<Refusal>('POST', '/v1/feedback', { list })).status, 400, 'for its unknown field alone');
  });

  test('X.06 a body of more than 100,000 objects and lists is refused before it is parsed, on every route', async () => {
    const { request } = await testAssay();
    const lists = (count: number): string => `[${'[],'.repeat(count - 2)}[]]`;
    const mcp = { accept: 'application/json, text/event-stream' };
    for (const [path, before, after] of [
      ['/v1/feedback', '{"tool":', '}'],
      ['/v1/tools/hash/invoke', '{"arguments":{"text":', '}}'],
      ['/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":', '}'],
    ] as const) {
      const send = async (count: number) => {
        const body = `${before}${lists(count)}${after}`;
        return request('POST', path, body, undefined, { 'content-length': String(body.length), ...mcp });
      };
      const refused = await send(100_001);
      assert.equal(refused.status, 413, path);
      assert.match(await refused.text(), /more than 100000 objects and lists; send fewer/);
      assert.notEqual((await send(90_000)).status, 413, path);
    }
    const text = JSON.stringify({ text: '[{'.repeat(200_000) });
    assert.equal((await request('POST', '/v1/feedback', text)).status, 400, 'signs in a text are none');
    for (const stream of ['data: {}\n\n'.repeat(110_000), '\n'.repeat(300_000).concat('data: {}')])
      assert.equal((await request('POST', '/v1/providers/openai/calls', stream)).status, 413);
  });

  test('an error shows only the start of a value of megabytes', async () => {
    const { json } = await testAssay();
    for (const tool of [
      'x'.repeat(1_000_000),
      Array.from({ length: 500_000 }, () => 1),
      { a: ['y'.repeat(100_000)] },
    ]) {
      const { body } = await json<Refusal>('POST', '/v1/feedback', { tool, rating: 1 });
      assert.ok(body.error.message.length < 400, body.error.message.slice(0, 500));
    }
  });

  test('large bodies that arrive together are parsed in one turn of the event loop each', async () => {
    const { request } = await testAssay();
    const large = { list: Array.from({ length: 60_000 }, (_, n) => n) };
    const turns = [0];
    let timer = setImmediate(function watch() {
      turns.push(0);
      timer = setImmediate(watch);
    });
    const ask = async (): Promise<void> => {
      const headers = { 'content-length': String(JSON.stringify(large).length) };
      assert.equal((await request('POST', '/v1/feedback', large, undefined, headers)).status, 400);
      turns.push((turns.pop() ?? 0) + 1);
    };

    await Promise.all(Array.from({ length: 6 }, ask));

    clearImmediate(timer);
    assert.deepEqual(new Set(turns), new Set([0, 1]), `answers a turn: ${turns.filter((answers) => answers > 0)}`);
  });

  test('X.06 concurrent small calls whose arguments are slow to check take one turn of the event loop each', async () => {
    const list = { type: 'array', items: { $ref: '#/$defs/tree' } };
    const $defs = { tree: { anyOf: [list, list, { type: 'null' }] } };
    const parameters = { type: 'object', properties: { tree: { $ref: '#/$defs/tree' } }, $defs };
    const { invoke } = await assayWith({ nothing: async () => 1 }, { definition: { parameters } });
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    const turns = [0];
    let timer = setImmediate(function watch() {
      turns.push(0);
      timer = setImmediate(watch);
    });

    // Each smaller than the one before: what was refused is refused again without a look.
    const calls = Array.from({ length: 8 }, async (_, call) => {
      const { status } = await invoke('nothing', { tree: nested(80 - call) });
      turns.push((turns.pop() ?? 0) + 1);
      return status;
    });
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([400]));

    clearImmediate(timer);
    assert.deepEqual(new Set(turns), new Set([0, 1]), `answers a turn: ${turns.filter((answers) => answers > 0)}`);
  });

  test('X.06 decisions that arrive together and take long go on in one turn of the event loop each', async () => {
    const { json } = await testAssay();
    const number = (name: string) => [name, { type: 'number', description: `The ${name}.` }];
    const properties = Object.fromEntries(['width', 'height', 'depth', 'weight', 'price', 'age'].map(number));
    const mock = { type: 'mock', mock_response: 1 };
    const parameters = { type: 'object', properties, required: ['width'] };
    const definition = { name: 'box', description: 'Packs a box', type: 'function', handler: 'box', parameters };
    assert.equal((await json('POST', '/v1/tools', { ...definition, implementation: mock })).status, 201);
    const decide = () => json('POST', '/v1/decide', { task: `pack a box ${'5 '.repeat(4000)}` });
    await decide();
    const turns = [0];
    let timer = setImmediate(function watch() {
      turns.push(0);
      timer = setImmediate(watch);
    });

    const answers = Array.from({ length: 6 }, async () => {
      const { status } = await decide();
      turns.push((turns.pop() ?? 0) + 1);
      return status;
    });
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([200]));

    clearImmediate(timer);
    assert.deepEqual(new Set(turns), new Set([0, 1]), `answers a turn: ${turns.filter((answered) => answered > 0)}`);
  });

  test('X.07 unfinished bodies of one tenant hold 64 MB at most, and another tenant is served', async () => {
    const { app, key } = await testAssay();
    const loud = await key({ scopes: ['invoke'], tenant: 'loud' });
    const polite = await key({ scopes: ['invoke'], tenant: 'polite' });
    const send = async (secret: string, end: boolean, headers: Record<string, string>) => {
      const body = new ReadableStream({
        start(stream) {
          stream.enqueue(new Uint8Array(4_000_000).fill(32));
          if (end) stream.close();
        },
      });
      const all = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers };
      const init = { method: 'POST', headers: all, body, duplex: 'half' } as RequestInit;
      return (await app.request('/v1/decide', init)).status;
    };
    const stated = { 'content-length': '4000001' };
    const streamed = { 'transfer-encoding': 'chunked' };

    const open = Array.from({ length: 16 }, (_, at) => send(loud, false, at % 2 === 0 ? stated : streamed));
    await new Promise((resolve) => setTimeout(resolve, 50));

    assert.equal(await send(loud, false, stated), 429);
    assert.equal(await send(loud, false, streamed), 429);
    assert.equal(await send(polite, true, streamed), 400, 'its text is no JSON');
    assert.equal(await Promise.race([...open, 'open']), 'open');
  });

  test('arguments with many unknown fields are refused with a short list of them', async () => {
    const definition = { parameters: { type: 'object', properties: {}, additionalProperties: false } };
    const { invoke } = await assayWith({ nothing: async () => 1 }, { definition });

    const { status, body } = await invoke(
      'nothing',
      Object.fromEntries(Array.from({ length: 18_000 }, (_, n) => [`f${n}`, 1])),
    );

    assert.equal(status, 400);
    assert.equal((body.error.details as unknown as { issues: unknown[] }).issues.length, 21);
  });

  test('a loopback server checks the Host header on every path', async (t) => {
    const { app } = await testAssay();
    const server = await listen(app, '127.0.0.1', 0);
    t.after(() => server.close());
    const statusFor = (host: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        ask(`${server.address}${path}`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });

    for (const path of ['/', '/v1/tools', '/healthz']) assert.equal(await statusFor('evil.example', path), 403, path);
    assert.equal(await statusFor('localhost:1', '/healthz'), 200);
  });

  test('responses of /v1 have nosniff', async () => {
    const { request } = await testAssay();
    for (const path of ['/v1/tools', '/v1/tools/none'])
      assert.equal((await request('GET', path)).headers.get('x-content-type-options'), 'nosniff', path);
  });

  test('a 503 does not reveal the table’s name', async () => {
    const table = memoryTable();
    const { json, key, log } = await testAssay({ table });
    const someone = await key({ scopes: ['read'] });
    Object.assign(table, {
      get: async () => {
        throw new Fault('Unavailable', 'table assay-prod does not answer', { table: 'assay-prod' });
      },
    });

    const { status, body } = await json<Refusal>('GET', '/v1/usage', undefined, someone);

    assert.equal(status, 503);
    assert.ok(!JSON.stringify(body).includes('assay-prod'));
    assert.ok(log.lines.some(({ fields }) => String(fields.error).includes('assay-prod')));
  });
});
