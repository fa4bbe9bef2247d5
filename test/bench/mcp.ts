import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { Hono } from 'hono';
import { listen } from '../../functions/cli/listen.ts';
import { providers } from '../../shared/providers/index.ts';
import { aTool } from '../support/tools.ts';
import { judge } from './report.ts';
import { alternate, median, printRows, requestsPerSecond } from './support/measure.ts';

const KEY = 'an-admin-key-for-the-bench';
const SIZES = [100, 2000] as const;

/** MCP against the bare SDK, which serves the same definitions and does nothing else. */
export const bench = async (args: readonly string[]): Promise<void> => {
  for (const size of args.length > 0 ? args.map(Number) : SIZES) await compare(size);
};

const compare = async (size: number): Promise<void> => {
  const data = await mkdtemp(join(tmpdir(), 'assay-bench-'));
  const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));
  const own = spawn(process.execPath, [entry, 'serve', '--port', '0', '--data', data], {
    cwd: data,
    env: { ...process.env, ASSAY_ADMIN_KEY: KEY },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const bare = spawn(process.execPath, [fileURLToPath(import.meta.url), 'bare', String(size)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [ours, theirs] = await Promise.all([portOf(own), portOf(bare)]);
  await registerAll(ours, size);
  const measurements = {
    bareList: () => listTime(theirs, size),
    ownList: () => listTime(ours, size),
    bareCalls: () => callRate(theirs, ''),
    ownCalls: () => callRate(ours, KEY),
  };
  // The first seconds warm up both servers.
  await alternate(2, measurements);
  const seen = await alternate(5, measurements);
  const memory = { ours: residentOf(own), bare: residentOf(bare) };
  for (const child of [own, bare]) child.kill();
  await Promise.all([own, bare].map((child) => once(child, 'close')));
  await rm(data, { recursive: true });
  const list = seen.ownList / seen.bareList;
  const calls = seen.ownCalls / seen.bareCalls;
  printRows(`MCP 2026-07-28 over HTTP, ${size} tools beside those shipped`, [
    ['tools/list, bare SDK', `${seen.bareList.toFixed(2)} ms`],
    ['tools/list, every page, with a key', `${seen.ownList.toFixed(2)} ms`],
    ['  ratio', list.toFixed(2), 'at most 0.5 at 2000'],
    ['tools/call, bare SDK', `${seen.bareCalls.toFixed(0)} /s`],
    ['tools/call with key, record and price', `${seen.ownCalls.toFixed(0)} /s`],
    ['  ratio', calls.toFixed(2), 'at least 0.92'],
    ['resident memory, bare SDK / Assay', `${memory.bare} / ${memory.ours} MB`],
  ]);
  if (size === 2000) judge('a list of 2,000 tools takes at most half of the bare SDK’s time', list <= 0.5);
  judge(`calls at ${size} tools reach 0.92 of the bare SDK’s rate`, calls >= 0.92);
};

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const headersOf = (method: string, name?: string): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
});

const callBody = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'tool_0007', arguments: { city: 'Bern' }, _meta: envelope },
});

const callRate = (port: number, key: string): Promise<number> =>
  requestsPerSecond(port, '/mcp', key, 1500, callBody, headersOf('tools/call', 'tool_0007'));

/** The median time to read all pages of the list as bytes, without the client's parsing. */
const listTime = async (port: number, size: number): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const pages: Buffer[] = [];
    let cursor: string | undefined;
    let time = 0;
    do {
      const started = performance.now();
      const page = await readPage(port, cursor);
      time += performance.now() - started;
      pages.push(page);
      cursor = /"nextCursor":"([^"]+)"/.exec(page.toString('utf8', Math.max(0, page.length - 600)))?.[1];
    } while (cursor !== undefined);
    times.push(time);
    const found = pages.reduce((sum, page) => sum + page.toString().split('"inputSchema"').length - 1, 0);
    if (found < size) throw new Error(`the list had ${found} tools`);
  }
  return median(times);
};

const agent = new Agent({ keepAlive: true });

const readPage = (port: number, cursor: string | undefined): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const headers = { ...headersOf('tools/list'), authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const asking = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve(Buffer.concat(parts)));
      answer.on('error', reject);
    });
    asking.on('error', reject);
    asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor, _meta: envelope } }));
  });

const toolAt = (index: number) => ({
  ...aTool({
    name: `tool_${String(index).padStart(4, '0')}`,
    description: `Look up the weather of a city, way ${index}`,
  }),
  price_micros: 10,
});

const registerAll = async (port: number, size: number): Promise<void> => {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  for (let at = 0; at < size; at += 20) {
    const sent = Array.from({ length: Math.min(20, size - at) }, (_, index) =>
      fetch(`http://127.0.0.1:${port}/v1/tools`, { method: 'POST', headers, body: JSON.stringify(toolAt(at + index)) }),
    );
    for (const answer of await Promise.all(sent))
      if (answer.status !== 201) throw new Error(`a tool was not registered: ${answer.status} ${await answer.text()}`);
  }
};

const residentOf = ({ pid }: ChildProcess): number => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
};

const portOf = async (child: ChildProcess): Promise<number> => {
  let text = '';
  for await (const part of child.stdout ?? []) {
    text += String(part);
    const port = /http:\/\/[\d.]+:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('the server did not start');
};

if (process.argv[2] === 'bare' && process.argv[1] === fileURLToPath(import.meta.url)) {
  const tools = Array.from({ length: Number(process.argv[3]) }, (_, index) => {
    const { value } = providers.mcp.defineTool(toolAt(index) as never);
    return value as never;
  });
  const result = {
    content: [{ type: 'text' as const, text: '{"temperature":21}' }],
    structuredContent: { temperature: 21 },
  };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', () => result);
    return server;
  });
  const app = new Hono().post('/mcp', (c) => handler.fetch(c.req.raw));
  console.log((await listen(app as never, '127.0.0.1', 0)).address);
}
