import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createApp } from '../../functions/api/app.ts';
import { listen } from '../../functions/cli/listen.ts';
import { testAssay } from '../support/assay.ts';
import { aTool } from '../support/tools.ts';

const TOOL = '/v1/tools/weather_lookup';
const CALL = '{"arguments":{"city":"Bern"}}';

/** A server, and what it answers to bytes as they are. */
const startServer = async (t: TestContext) => {
  const { assay, json, key, log } = await testAssay();
  await json('POST', '/v1/tools', aTool());
  const keys = [await key({ scopes: ['read', 'invoke'] }), await key({ scopes: ['read'] })] as const;
  const { address, close } = await listen(createApp(assay), '127.0.0.1', 0);
  t.after(close);
  /** Sends bytes, and reads until `answers` answers have come or the server closes. */
  const send = async (text: string, answers = 1): Promise<string> => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.write(text);
    let answer = '';
    for await (const part of socket) {
      answer += String(part);
      if (statusesOf(answer).length === answers) break;
    }
    return answer;
  };
  return { keys, log, send, port: Number(new URL(address).port) };
};

const statusesOf = (answer: string): readonly number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

const requestOf = (target: string, headers: readonly string[], { method = 'GET', body = '' } = {}): string =>
  `${method} ${target} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;

const HOST = 'Host: 127.0.0.1';

describe('requests as bytes on a socket', () => {
  test('of two keys, hosts or tenants in one request none is used', async (t) => {
    const { keys, send } = await startServer(t);
    const bearer = keys.map((key) => `Authorization: Bearer ${key}`);
    const apiKeys = keys.map((key) => `X-Api-Key: ${key}`);
    const [first = ''] = bearer;
    for (const [headers, status] of [
      [[HOST, first], 200],
      [[HOST, ...bearer], 401],
      [[HOST, first, first], 401],
      [[HOST, ...apiKeys], 401],
      [[HOST, 'X-Api-Key: other', apiKeys[0] ?? ''], 401],
      [[HOST, 'Host: example.com', first], 400],
      [['Host: example.com', HOST, first], 400],
      [[HOST, first, 'Assay-Tenant: default', 'Assay-Tenant: other'], 403],
    ] as const)
      assert.deepEqual(statusesOf(await send(requestOf(TOOL, headers))), [status], headers.join(', '));
  });

  test('the host of an absolute request line is checked like the header, which it replaces', async (t) => {
    const { keys, send } = await startServer(t);
    const headers = [HOST, `Authorization: Bearer ${keys[0]}`];
    assert.deepEqual(statusesOf(await send(requestOf(`http://127.0.0.1${TOOL}`, headers))), [200]);
    const refused = await send(requestOf(`http://example.com${TOOL}`, headers));
    assert.deepEqual(statusesOf(refused), [403]);
    assert.match(refused, /the host \\"example.com\\" is not this server/);
  });

  test('an address that cannot be read is refused with a sentence, like every other error', async (t) => {
    const { keys, send } = await startServer(t);
    const key = `Authorization: Bearer ${keys[0]}`;
    for (const [target, host] of [
      [TOOL, 'Host: example.com@127.0.0.1'],
      [TOOL, 'Host: 127.0.0.1/x'],
      ['/v1\\tools', HOST],
      ['*', HOST],
    ] as const) {
      const answer = await send(requestOf(target, [host, key], { method: 'OPTIONS' }));
      assert.deepEqual(statusesOf(answer), [400], target);
      assert.match(answer, /"code":"InvalidInput","message":"the address of the request cannot be read/, host);
    }
  });

  test('a body that breaks off or has an unknown encoding is its sender’s error, and no unexpected one', async (t) => {
    const { keys, send, log, port } = await startServer(t);
    const headers = [HOST, `Authorization: Bearer ${keys[0]}`, 'Content-Type: application/json'];
    const invoke = (...more: readonly string[]) =>
      requestOf(`${TOOL}/invoke`, [...headers, ...more], { method: 'POST' });
    for (const broken of [
      `${invoke('Content-Length: 1000')}{"argu`,
      `${invoke('Transfer-Encoding: chunked')}5\r\n{"arg`,
    ]) {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(broken);
      await pause(50);
      socket.destroy();
    }
    for (const broken of [
      `${invoke('Transfer-Encoding: chunked')}5\r\n{"argxx\r\n`,
      `${invoke('Transfer-Encoding: gzip')}${CALL}`,
    ])
      assert.deepEqual(statusesOf(await send(broken)), [400]);
    const invocations = () => log.lines.filter(({ fields }) => fields.path === `${TOOL}/invoke`);
    for (let waited = 0; waited < 500 && invocations().length < 4; waited++) await pause(10);
    const lines = invocations();
    assert.deepEqual(
      lines.map(({ fields }) => fields.status),
      [400, 400, 400, 400],
    );
    assert.ok(log.lines.every(({ level }) => level === 'info'));
  });

  test('two lengths, or a length beside chunks, are refused, and nothing after them is read', async (t) => {
    const { keys, send, log } = await startServer(t);
    const headers = [HOST, `Authorization: Bearer ${keys[0]}`];
    const smuggled = requestOf('/v1/keys', headers);
    for (const lengths of [
      ['Content-Length: 4', 'Transfer-Encoding: chunked'],
      ['Content-Length: 0', `Content-Length: ${smuggled.length}`],
      ['Content-Length: +4'],
      ['Content-Length : 4'],
    ]) {
      const before = log.lines.length;
      const sent = requestOf(`${TOOL}/invoke`, [...headers, ...lengths], {
        method: 'POST',
        body: `0\r\n\r\n${smuggled}`,
      });
      assert.deepEqual(statusesOf(await send(sent, 2)), [400], lengths.join(', '));
      assert.equal(log.lines.length, before, 'no request reached a route');
    }
  });

  test('the unread body of a refused request is not taken for the next request', async (t) => {
    const { keys, send, log } = await startServer(t);
    const key = `Authorization: Bearer ${keys[0]}`;
    const smuggled = requestOf('/v1/keys', [HOST, key]);
    const length = `Content-Length: ${smuggled.length}`;
    const refused = requestOf(`${TOOL}/invoke`, [HOST, length], { method: 'POST', body: smuggled });
    const answered = requestOf(TOOL, [HOST, key, length], { body: smuggled });

    const answers = await send(refused + answered + requestOf(TOOL, [HOST, key]), 3);

    assert.deepEqual(statusesOf(answers), [401, 200, 200]);
    assert.ok(log.lines.every(({ fields }) => fields.path !== '/v1/keys'));
  });

  test('X.07 requests that one connection sends without waiting are handled and answered one after the other', async (t) => {
    let [open, most] = [0, 0];
    const slowly = async (request: Request): Promise<Response> => {
      most = Math.max(most, ++open);
      const path = new URL(request.url).pathname;
      const sent = await request.text();
      await pause(2);
      open--;
      return new Response(`[${path}${sent}]`);
    };
    const { address, close } = await listen({ fetch: slowly }, '127.0.0.1', 0);
    t.after(close);
    const read = async (requests: string): Promise<string> => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(requests);
      let answer = '';
      socket.on('data', (part) => (answer += String(part)));
      await once(socket, 'close');
      return answer;
    };
    const get = (path: string, ...headers: string[]) => requestOf(path, [HOST, ...headers]);
    const paths = Array.from({ length: 50 }, (_, n) => `/${n}`);
    const post = requestOf('/sent', [HOST, 'Content-Length: 4'], { method: 'POST', body: 'text' });

    const answer = await read(`${paths.map((path) => get(path)).join('')}${post}${get('/last', 'Connection: close')}`);

    assert.deepEqual(answer.match(/\[.*?\]/g), [...paths.map((path) => `[${path}]`), '[/senttext]', '[/last]']);
    assert.equal(most, 1);

    assert.ok(statusesOf(await read(get('/').repeat(200))).length < 100, 'a connection with more than 100 is closed');
  });
});
