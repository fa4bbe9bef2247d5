import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import { createSafeFetch } from '../../shared/adapters/egress/safe-fetch.ts';
import { expiredCertificate, testAuthority, validCertificate } from '../support/certificates.ts';

const limits = { timeoutMs: 5000, maxBytes: 100_000 };

const listening = async (t: TestContext, server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** A server that the operator allows. */
const serving = async (t: TestContext, listener: RequestListener) => {
  const server = createServer(listener);
  t.after(() => server.closeAllConnections());
  const port = await listening(t, server);
  return {
    base: `http://127.0.0.1:${port}`,
    safeFetch: createSafeFetch({ allowed: readAllowList(`127.0.0.1:${port}`) }),
  };
};

const textOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString();

describe('outgoing requests (safe fetch)', () => {
  test('safe fetch sends requests and answers as fetch does, over a kept-alive connection', async (t) => {
    const sockets = new Set<unknown>();
    const { base, safeFetch } = await serving(t, async (request, response) => {
      sockets.add(request.socket);
      const body = await textOf(request);
      response.setHeader('x-seen', `${request.method} ${request.url} ${request.headers['content-type']}`).end(body);
    });
    const send = () => safeFetch(`${base}/a?b=c#d`, { method: 'POST', body: new URLSearchParams({ x: 'ä' }) }, limits);

    for (let count = 0; count < 3; count += 1) {
      const answer = await send();
      assert.equal(answer.headers.get('x-seen'), 'POST /a?b=c application/x-www-form-urlencoded;charset=UTF-8');
      assert.equal(await answer.text(), 'x=%C3%A4');
    }
    assert.equal(sockets.size, 1);
  });

  test('safe fetch follows redirects of GET within the origin, five at most', async (t) => {
    const { base, safeFetch } = await serving(t, ({ url }, response) => {
      const left = Number(url?.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });

    assert.equal(await (await safeFetch(`${base}/5`, {}, limits)).text(), 'there');
    await assert.rejects(safeFetch(`${base}/6`, {}, limits), /redirects more than 5 times/);
    assert.equal((await safeFetch(`${base}/6`, { redirect: 'manual' }, limits)).status, 302);
    await assert.rejects(safeFetch(`${base}/6`, { method: 'POST', body: '' }, limits), { name: 'Forbidden' });
  });

  test('safe fetch aborts a response that is too large, also one that only grows when unpacked', async (t) => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const { base, safeFetch } = await serving(t, ({ url }, response) => {
      if (url === '/bomb') response.setHeader('content-encoding', 'gzip').end(bomb);
      else if (url === '/said') response.setHeader('content-length', 1e10).flushHeaders();
      else {
        const write = (): void => void (response.write(Buffer.alloc(65_536)) && setImmediate(write));
        response.on('drain', write);
        write();
      }
    });

    for (const path of ['/bomb', '/said', '/endless'])
      await assert.rejects(
        safeFetch(`${base}${path}`, {}, limits).then((answer) => answer.arrayBuffer()),
        /answers more than 100000 bytes/,
        path,
      );
  });

  test('safe fetch decompresses responses and passes on no cookie', async (t) => {
    const { base, safeFetch } = await serving(t, ({ url }, response) => {
      response.setHeader('set-cookie', 'a=b');
      if (url === '/br') response.setHeader('content-encoding', 'br').end(brotliCompressSync('packed'));
      else response.setHeader('content-encoding', 'gzip').end(gzipSync('packed'));
    });

    for (const path of ['/br', '/gzip']) {
      const answer = await safeFetch(`${base}${path}`, {}, limits);
      assert.deepEqual([await answer.text(), answer.headers.getSetCookie()], ['packed', []]);
    }
  });

  test('safe fetch times out when the server hangs, before or within the response', async (t) => {
    const { base, safeFetch } = await serving(t, ({ url }, response) => {
      if (url === '/body') response.write('begun');
    });

    for (const path of ['/head', '/body'])
      await assert.rejects(
        safeFetch(`${base}${path}`, {}, { ...limits, timeoutMs: 100 }).then((answer) => answer.text()),
        /did not answer within 100 ms/,
        path,
      );
  });

  test('safe fetch keeps no connection open for a response that it refuses or does not read', async (t) => {
    const open = new Set<unknown>();
    const { base, safeFetch } = await serving(t, ({ url, socket }, response) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      if (url === '/encoded') response.setHeader('content-encoding', 'zstd');
      if (url === '/moved') response.writeHead(302, { location: 'http://elsewhere.test/' });
      if (url === '/reset') response.statusCode = 205;
      response.write('it goes on');
    });

    await assert.rejects(safeFetch(`${base}/encoded`, {}, limits), /the encoding zstd/);
    await assert.rejects(safeFetch(`${base}/moved`, {}, limits), /redirects elsewhere/);
    await safeFetch(`${base}/reset`, {}, limits);

    while (open.size > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('safe fetch is cancelled by its signal', async (t) => {
    const { base, safeFetch } = await serving(t, () => {});
    const controller = new AbortController();
    const asked = safeFetch(base, { signal: controller.signal }, limits);
    controller.abort(new Error('not needed any more'));

    await assert.rejects(asked, /not needed any more/);
  });

  test('safe fetch lets no caller set the Host header or credentials in the URL', async () => {
    const safeFetch = createSafeFetch({ allowed: [] });

    await assert.rejects(safeFetch('https://a.example', { headers: { Host: 'b.example' } }, limits), /header host/);
    await assert.rejects(safeFetch('https://u:p@a.example', {}, limits), { name: 'InvalidInput' });
  });

  test('an error of safe fetch does not reveal the address a name resolves to', async () => {
    const safeFetch = createSafeFetch({ allowed: [], resolve: async () => ['10.1.2.3'] });

    await assert.rejects(safeFetch('https://db.example/x', {}, limits), ({ name, message }: Error) => {
      assert.equal(name, 'Forbidden');
      assert.match(message, /^db\.example may not be reached: .*ASSAY_EGRESS$/);
      assert.ok(!message.includes('10.1.2.3'));
      return true;
    });
    await assert.rejects(safeFetch('https://8.8.8.8:8443/', {}, limits), /only port 443 is allowed/);
    await assert.rejects(safeFetch('http://a.example/', {}, limits), /only https is allowed/);
  });
});

describe('outgoing HTTPS requests', () => {
  const secure = async (t: TestContext, certificate: { key: string; cert: string }, host: string) => {
    const server = createHttpsServer(certificate, (request, response) => void response.end(request.headers.host));
    const port = await listening(t, server);
    t.after(() => server.closeAllConnections());
    const resolve = async () => ['127.0.0.1'];
    const safeFetch = createSafeFetch({ allowed: readAllowList(`${host}:${port}`), resolve, ca: testAuthority });
    return { address: `https://${host}:${port}/`, safeFetch };
  };

  test('safe fetch checks the certificate against the host name, though it connects to an address', async (t) => {
    const { address, safeFetch } = await secure(t, validCertificate, 'tools.example');
    assert.match(await (await safeFetch(address, {}, limits)).text(), /^tools\.example:\d+$/);

    const wrong = await secure(t, validCertificate, 'other.example');
    await assert.rejects(wrong.safeFetch(wrong.address, {}, limits), /certificate is not valid/);
  });

  test('safe fetch refuses an expired certificate, whatever the environment says', async (t) => {
    const { address, safeFetch } = await secure(t, expiredCertificate, 'tools.example');
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    t.after(() => Reflect.deleteProperty(process.env, 'NODE_TLS_REJECT_UNAUTHORIZED'));

    await assert.rejects(safeFetch(address, {}, limits), /its certificate has expired/);
  });
});

test('safe fetch ignores a proxy named in the environment', async (t) => {
  const { base } = await serving(t, (_, response) => void response.end('direct'));
  const proxy = createServer((_, response) => void response.end('proxied'));
  const url = `http://127.0.0.1:${await listening(t, proxy)}`;
  const module = new URL('../../shared/adapters/egress/safe-fetch.ts', import.meta.url).href;
  const script = `
    import { createSafeFetch } from ${JSON.stringify(module)};
    const allowed = [{ host: '127.0.0.1', port: ${new URL(base).port} }];
    const answer = await createSafeFetch({ allowed })('${base}', {}, { timeoutMs: 5000, maxBytes: 100 });
    console.log(await answer.text());`;
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url, http_proxy: url, ALL_PROXY: url };

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });

  assert.equal(stdout.trim(), 'direct');
});

test('the allow-list accepts hosts and ports, and reports entries it cannot read', () => {
  assert.deepEqual(readAllowList('tools.internal, 127.0.0.1:80,[::1]:8080'), [
    { host: 'tools.internal', port: undefined },
    { host: '127.0.0.1', port: 80 },
    { host: '[::1]', port: 8080 },
  ]);
  for (const wrong of ['https://a.example', 'a:0', 'a:99999', 'a b', '::1', 'u@h'])
    assert.throws(() => readAllowList(wrong), /ASSAY_EGRESS has/, wrong);
});
