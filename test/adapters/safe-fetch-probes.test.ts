import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, test } from 'node:test';
import { readAllowList } from '../../shared/adapters/egress/allow-list.ts';
import type { ResolveName } from '../../shared/adapters/egress/resolve-name.ts';
import { createSafeFetch } from '../../shared/adapters/egress/safe-fetch.ts';
import { sampleOf } from '../support/sampling.ts';

/** A listener on every address of this machine that counts who connects to it. */
const trap = { hits: 0 };
const trapServer = createServer((socket) => {
  trap.hits += 1;
  socket.destroy();
});

/** A place that the operator allows, and that redirects to what the path says. */
const redirector = createHttpServer((request, response) => {
  // Its bytes as they are, whatever characters they stand for.
  const location = Buffer.from(decodeURIComponent(request.url?.slice(1) ?? '')).toString('latin1');
  response.writeHead(request.method === 'POST' ? 307 : 302, { location }).end();
});

const listen = (server: Server, host: string): Promise<number> =>
  new Promise((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)));
const port = await listen(trapServer, '::').catch(() => listen(trapServer, '0.0.0.0'));
const allowedPort = await listen(redirector, '127.0.0.1');
after(() => {
  trapServer.close();
  redirector.close();
});

/** A public address, for names that seem harmless. */
const PUBLIC = '8.8.8.8';

const addresses = [
  ...['127.0.0.1', '127.0.0.53', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255'],
  ...['100.64.0.1', '100.100.100.200', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::127.0.0.1', 'fe80::1'],
  ...['fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::1'],
  ...['2002:a00:1::1', '2001::1', '2001:db8::1', '3fff::1', '100::1', '5f00::1'],
];

const spellings = [
  ...[
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.1',
    '127.0.1',
    '0',
    '0x0',
    '00.00.00.00',
  ],
  ...['１２７.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '127.0.0.1.', '[0:0:0:0:0:ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', 'localhost', 'LOCALHOST', 'localhost.', '3232235777'],
];

interface Probe {
  readonly name: string;
  readonly url: string;
  readonly answers?: readonly (readonly string[])[];
  readonly method?: string;
}

const literal = (address: string): string => (address.includes(':') ? `[${address}]` : address);
const to = (host: string): string => `https://${host}:${port}/`;

const probes: readonly Probe[] = [
  ...addresses.map((address) => ({ name: `the address ${address}`, url: to(literal(address)) })),
  ...addresses.map((address) => ({ name: `a name of ${address}`, url: to('a.example'), answers: [[address]] })),
  ...addresses.map((address) => ({
    name: `a name with two answers, one of them ${address}`,
    url: to('a.example'),
    answers: [[PUBLIC, address]],
  })),
  ...addresses.map((address) => ({
    name: `a redirect to ${address}`,
    url: `http://127.0.0.1:${allowedPort}/${encodeURIComponent(to(literal(address)))}`,
  })),
  ...spellings.map((host) => ({ name: `the host ${host}`, url: to(host), answers: [['127.0.0.1']] })),
  ...spellings.map((host) => ({
    name: `a redirect to the host ${host}`,
    url: `http://127.0.0.1:${allowedPort}/${encodeURIComponent(`http://${host}:${port}/`)}`,
    answers: [['127.0.0.1']],
  })),
  ...['http', 'ftp', 'file', 'gopher', 'ws', 'wss', 'data', 'blob', 'jar:http'].map((scheme) => ({
    name: `the scheme ${scheme}`,
    url: `${scheme}://127.0.0.1:${port}/`,
  })),
  ...[`a.example@127.0.0.1:${port}`, `127.0.0.1:${port}@a.example`, `u:p@127.0.0.1:${port}`].map((rest) => ({
    name: `userinfo ${rest}`,
    url: `https://${rest}/`,
    answers: [['127.0.0.1']],
  })),
  ...[`//127.0.0.1:${port}/`, `\\\\127.0.0.1:${port}`, `http:127.0.0.1:${port}`, ` https://127.0.0.1:${port}`].map(
    (url) => ({ name: `the text ${url}`, url }),
  ),
  ...[`//127.0.0.1:${port}/`, `/\\127.0.0.1:${port}`, `https:/127.0.0.1:${port}`].map((location) => ({
    name: `a redirect to the text ${location}`,
    url: `http://127.0.0.1:${allowedPort}/${encodeURIComponent(location)}`,
  })),
  { name: 'a POST redirected', url: `http://127.0.0.1:${allowedPort}/${encodeURIComponent('/again')}`, method: 'POST' },
  {
    name: 'a POST redirected to loopback',
    url: `http://127.0.0.1:${allowedPort}/${encodeURIComponent(to('127.0.0.1'))}`,
    method: 'POST',
  },
  { name: 'another port of an allowed host', url: `http://127.0.0.1:${port}/` },
  ...Array.from({ length: 8 }, (_, index) => ({
    name: `a name that is public when it is checked and not when it is connected to, ${index}`,
    url: to(`rebind${index}.example`),
    answers: [[PUBLIC], ['127.0.0.1'], ['::1']],
  })),
];

test(`X.17 none of ${probes.length} SSRF probes reaches a listener of this machine`, async () => {
  assert.ok(probes.length >= 200);
  for (const probe of sampleOf(probes, 80)) {
    let asked = 0;
    const resolve: ResolveName = async () => {
      const answers = probe.answers ?? [[PUBLIC]];
      asked += 1;
      return answers[Math.min(asked, answers.length) - 1] ?? [];
    };
    // The trap's port needs no allowance here: the address alone must be the reason.
    const safeFetch = createSafeFetch({
      allowed: readAllowList(`127.0.0.1:${allowedPort}`),
      ports: [443, port],
      resolve,
    });
    await assert.rejects(
      safeFetch(probe.url, { method: probe.method ?? 'GET' }, { timeoutMs: 80, maxBytes: 1000 }),
      { name: /^(Forbidden|InvalidInput|Unavailable)$/ },
      probe.name,
    );
    assert.ok(asked <= 1, `${probe.name}: the name was resolved ${asked} times`);
  }
  assert.equal(trap.hits, 0);
});

test('an SSRF probe reaches the listener when the operator allows its host', async () => {
  const safeFetch = createSafeFetch({ allowed: readAllowList(`127.0.0.1:${port}`) });
  await assert.rejects(safeFetch(`http://127.0.0.1:${port}/`, {}, { timeoutMs: 2000, maxBytes: 1000 }));
  assert.equal(trap.hits, 1);
});
