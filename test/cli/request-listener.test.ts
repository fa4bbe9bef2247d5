import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { wholeResponse } from '../../functions/api/whole-response.ts';
import { requestListener, type Serve } from '../../functions/cli/request-listener.ts';

const JSON_TYPE = { 'content-type': 'application/json', etag: '"a"', 'x-content-type-options': 'nosniff' };
const large = 'é'.repeat(300_000);

/** Every way in which a handler may read its request and answer it. */
const exampleApp = (left: () => void = () => {}): Hono => {
  const app = new Hono();
  app.get('/whole', (c) => wholeResponse(c.req.raw, '{"a":"é"}', 200, JSON_TYPE));
  app.get('/large', (c) => wholeResponse(c.req.raw, large, 200, JSON_TYPE));
  app.get('/unchanged', (c) => wholeResponse(c.req.raw, null, 304, JSON_TYPE));
  app.get('/refused', (c) => wholeResponse(c.req.raw, '{}', 403, JSON_TYPE));
  app.get('/address', (c) => wholeResponse(c.req.raw, JSON.stringify([c.req.url, c.req.path, c.req.query()]), 200, {}));
  app.get('/tools/:name', (c) => wholeResponse(c.req.raw, c.req.param('name'), 200, {}));
  app.get('/later', async (c) => wholeResponse(c.req.raw, 'later', 200, JSON_TYPE));
  app.get('/header', (c) => wholeResponse(c.req.raw, c.req.header('x-a') ?? 'none', 200, {}));
  app.get('/plain', () => new Response('plain', { headers: { 'x-a': 'b' } }));
  app.get(
    '/cookies',
    () => new Response('', { headers: [...['a=1', 'b=2'].map((one) => ['set-cookie', one])] as never }),
  );
  app.get('/stream', () => new Response(streamOf(['one', 'two', 'three'])));
  app.get('/broken-stream', () => new Response(streamOf(['one'], new Error('broken'))));
  app.get('/throws', () => {
    throw new Error('thrown');
  });
  app.get('/endless', (c) => {
    c.req.raw.signal.addEventListener('abort', left);
    return new Response(
      new ReadableStream({ pull: () => new Promise(() => {}), start: (s) => s.enqueue(bytes('begun')) }),
    );
  });
  app.post('/echo', async (c: Context) => wholeResponse(c.req.raw, await c.req.text(), 200, {}));
  app.post('/bytes', async (c: Context) =>
    wholeResponse(c.req.raw, String((await c.req.arrayBuffer()).byteLength), 200, {}),
  );
  app.post('/json', async (c: Context) =>
    wholeResponse(c.req.raw, JSON.stringify(await c.req.raw.clone().json()), 200, {}),
  );
  app.post('/unread', (c) => wholeResponse(c.req.raw, 'unread', 200, {}));
  app.onError((thrown) => new Response(thrown.message, { status: 500 }));
  return app;
};

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

const streamOf = (parts: readonly string[], end?: Error): ReadableStream =>
  new ReadableStream({
    async start(stream) {
      for (const part of parts) {
        stream.enqueue(bytes(part));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (end) stream.error(end);
      else stream.close();
    },
  });

/** Sends bytes and returns all that comes until the server closes, without what differs each time. */
const sendTo = async (port: number, text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const part of socket) answer += part.toString('latin1');
  return answer
    .replaceAll(/^(date|keep-alive): .*\r\n/gim, '')
    .replaceAll(/^([\w-]+): /gm, (name) => name.toLowerCase());
};

const refused = (): Response => new Response('refused', { status: 500 });

/** The same app behind our listener and behind that of the library. */
const bothServers = async (t: TestContext, app = exampleApp()): Promise<readonly [ours: number, theirs: number]> => {
  const servers = [
    createServer({ optimizeEmptyRequests: true }, requestListener(app.fetch as Serve, refused)),
    createServer(getRequestListener(app.fetch, { errorHandler: refused })),
  ];
  for (const server of servers) {
    server.keepAliveTimeout = 100;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  t.after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  return servers.map((server) => (server.address() as AddressInfo).port) as [number, number];
};

const get = (target: string, version = '1.1', headers: readonly string[] = ['Host: localhost', 'Connection: close']) =>
  `GET ${target} HTTP/${version}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;

const post = (target: string, body: string, more: readonly string[] = []) =>
  `POST ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more.map((line) => `${line}\r\n`).join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** The lines of a head in any order, and the body. */
const parsed = (answer: string): readonly unknown[] =>
  answer.split(/(?=HTTP\/1\.1 \d{3} )/).map((one) => {
    const end = one.indexOf('\r\n\r\n');
    const [status, ...headers] = one.slice(0, end).split('\r\n');
    return { status, headers: headers.sort(), body: one.slice(end + 4) };
  });

const kept = ['Host: localhost'];
const REQUESTS: Readonly<Record<string, string>> = {
  'a whole answer': get('/whole'),
  'a large one': get('/large'),
  'one without a body': get('/unchanged'),
  'a refusal': get('/refused'),
  'a later answer': get('/later'),
  'a header that is read': get('/header', '1.1', ['Host: localhost', 'Connection: close', 'X-A: 1', 'x-a: 2']),
  'a response that was not made whole': get('/plain'),
  'two cookies': get('/cookies'),
  'a stream': get('/stream'),
  'an error': get('/throws'),
  'an unknown path': get('/nothing'),
  'HEAD of a whole answer': get('/whole').replace('GET', 'HEAD'),
  OPTIONS: get('/whole').replace('GET', 'OPTIONS'),
  'HTTP 1.0': get('/whole', '1.0', ['Host: localhost']),
  'HTTP 1.0 that keeps its connection':
    get('/whole', '1.0', ['Host: localhost', 'Connection: keep-alive']) + get('/whole'),
  'pipelined requests':
    get('/whole', '1.1', kept) + get('/later', '1.1', kept) + get('/unchanged', '1.1', kept) + get('/whole'),
  'a GET with a body, and one after it': `${get('/whole', '1.1', [...kept, 'Content-Length: 3'])}abc${get('/whole')}`,
  'a body': post('/echo', '{"a":1}'),
  'a body of bytes': post('/bytes', 'a'.repeat(200_000)),
  'a cloned body': post('/json', '{"a":1}'),
  'no body': `POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  'an unread body, and a request after it': `POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc${get('/whole')}`,
  'a body after a hundred': post('/echo', 'waited', ['Expect: 100-continue']),
  'an upgrade': get('/whole', '1.1', ['Host: localhost', 'Connection: upgrade', 'Upgrade: websocket']) + get('/whole'),
  'a header that is too large': get('/whole', '1.1', ['Host: localhost', `X-A: ${'a'.repeat(20_000)}`]),
  'a missing host': get('/whole', '1.1', ['Connection: close']),
  ...Object.fromEntries(
    [
      '/address?a=1&b=%20c',
      '/address?a=%27\'"<>',
      '/a/../address',
      '/a/%2e%2e/address',
      '//address',
      '/address#a',
      '/./address?..',
      '/tools/a%2Fb',
      '/tools/%zz',
      '/tools/a\\b?c\\d',
      '/tools/é',
    ].map((target) => [`the target ${target}`, get(target)]),
  ),
  ...Object.fromEntries(
    ['LOCALHOST', 'localhost:80', 'localhost:8080', 'localhost:', '127.1', 'ex_ample.org:65535'].map((host) => [
      `the host ${host}`,
      get('/address', '1.1', [`Host: ${host}`, 'Connection: close']),
    ]),
  ),
};

describe('our request listener beside that of @hono/node-server', () => {
  test('every kind of request is answered alike by both listeners', async (t) => {
    const [ours, theirs] = await bothServers(t);
    for (const [what, text] of Object.entries(REQUESTS)) {
      const [own, expected] = await Promise.all([sendTo(ours, text), sendTo(theirs, text)]);
      assert.deepEqual(parsed(own), parsed(expected), what);
    }
  });

  test('a caller that leaves a stream aborts its request, behind both listeners', async (t) => {
    for (const at of [0, 1]) {
      const left = Promise.withResolvers<void>();
      const ports = await bothServers(t, exampleApp(left.resolve));
      const socket = connect(ports[at] ?? 0, '127.0.0.1');
      socket.write(get('/endless', '1.1', kept));
      await once(socket, 'data');
      socket.destroy();
      await left.promise;
    }
  });

  test('a stream that breaks closes its connection without an end, behind both listeners', async (t) => {
    // The library logs it.
    t.mock.method(console, 'error', () => {});
    for (const port of await bothServers(t)) {
      const answer = await sendTo(port, get('/broken-stream', '1.1', kept)).catch((thrown: Error) => thrown.message);
      assert.doesNotMatch(answer, /\r\n0\r\n\r\n$/);
    }
  });

  test('a status or a header that cannot be sent is answered as an error, and the next request is served', async (t) => {
    const app = exampleApp();
    app.get('/bad-header', (c) => wholeResponse(c.req.raw, 'a', 200, { 'x-a': 'a\nb' }));
    app.get('/bad-status', (c) => wholeResponse(c.req.raw, 'a', 99, {}));
    const [ours] = await bothServers(t, app);
    for (const path of ['/bad-header', '/bad-status']) {
      const answers = parsed(await sendTo(ours, get(path, '1.1', kept) + get('/whole')));
      assert.deepEqual(
        answers.map((one) => (one as { status: string }).status),
        ['HTTP/1.1 500 Internal Server Error', 'HTTP/1.1 200 OK'],
        path,
      );
    }
  });
});
