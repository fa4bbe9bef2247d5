import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import createClient from 'openapi-fetch';
import sharp from 'sharp';
import { goldenImage } from '../support/iqa.ts';
import { runAssay, type Served, serveAssay } from '../support/process.ts';

interface Called {
  readonly text: string;
  readonly hasPicture: boolean;
  readonly isError: boolean;
}

/** A client as far as the table tries it. */
interface Tried {
  list(): Promise<readonly string[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Called>;
  close(): Promise<void>;
}

interface Target {
  readonly url: string;
  readonly key: string;
}

interface Block {
  readonly type: string;
  readonly text?: string;
}

const readResult = (result: Readonly<Record<string, unknown>>): Called => {
  const blocks = (result.content ?? []) as readonly Block[];
  return {
    text: blocks.map(({ text = '' }) => text).join('\n'),
    hasPicture: blocks.some(({ type }) => type === 'image'),
    isError: result.isError === true,
  };
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const sdk =
  (mode: 'legacy' | { readonly pin: string }) =>
  async ({ url, key }: Target): Promise<Tried> => {
    const client = new Client({ name: 'table', version: '1' }, { versionNegotiation: { mode } });
    const requestInit = { headers: bearer(key) };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => readResult(await client.callTool({ name, arguments: args })),
      close: () => client.close(),
    };
  };

const installed = process.env.ASSAY_CLIENTS ?? 'node_modules';
const inspector = 'node_modules/.bin/mcp-inspector';
const python = process.env.ASSAY_PYTHON ?? 'python3';

/** A process of Python that is told line by line what to do; what it says of a task under way is not an answer. */
const pythonClient =
  (
    kind: 'mcp' | 'mcp-earlier' | 'mcp-tasks' | 'mcp-1' | 'mcp-1-tasks' | 'fastmcp' | 'langchain',
    told: (line: { task?: string }) => void = () => {},
  ) =>
  async ({ url, key }: Target): Promise<Tried> => {
    const script = fileURLToPath(new URL('python_client.py', import.meta.url));
    const child = spawn(python, [script, kind, `${url}/mcp`, key], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (asked: object): Promise<Readonly<Record<string, unknown>>> => {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${kind} ended`);
        const line = JSON.parse(value) as { task?: string };
        if (line.task === undefined) return { ...line };
        told(line);
      }
    };
    return {
      list: async () => (await ask({ list: true })).tools as readonly string[],
      call: async (name, args) => readResult(await ask({ name, arguments: args })),
      async close() {
        child.stdin.end();
        await new Promise((resolve) => child.once('close', resolve));
      },
    };
  };

const hasPython = (name: string): boolean => spawnSync(python, ['-c', `import ${name}`]).status === 0;

const clients: Readonly<Record<string, (target: Target) => Promise<Tried>>> = {
  'MCP SDK 2, protocol 2026-07-28': sdk({ pin: '2026-07-28' }),
  'MCP SDK 2, earlier protocol': sdk('legacy'),
  'MCP SDK 1': async ({ url, key }) => {
    const client = new FirstClient({ name: 'table', version: '1' });
    const transport = new FirstTransport(new URL(`${url}/mcp`), { requestInit: { headers: bearer(key) } });
    await client.connect(transport as never);
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => readResult(await client.callTool({ name, arguments: args })),
      close: () => client.close(),
    };
  },
  'AI SDK': async ({ url, key }) => {
    const client = await createMCPClient({ transport: { type: 'http', url: `${url}/mcp`, headers: bearer(key) } });
    const tools = await client.tools();
    return {
      list: async () => Object.keys(tools),
      async call(name, args) {
        const execute = tools[name]?.execute as (input: object, options: object) => Promise<object>;
        return readResult({ ...(await execute(args, { toolCallId: 'c1', messages: [] })) });
      },
      close: () => client.close(),
    };
  },
  'openapi-fetch': async ({ url, key }) => {
    const api = createClient({ baseUrl: url, headers: bearer(key) }) as never as Openapi;
    return {
      async list() {
        const { data } = await api.GET('/v1/tools', { params: { query: { limit: 200 } } });
        return (data as { tools: { spec: { name: string } }[] }).tools.map(({ spec }) => spec.name);
      },
      async call(name, args) {
        const path = { params: { path: { name } }, body: { arguments: args } };
        const { data, error } = await api.POST('/v1/tools/{name}/invoke', path);
        const text = JSON.stringify(data ?? (error as { error: { message: string } }).error.message);
        return { text, hasPicture: text.includes('"base64"'), isError: error !== undefined };
      },
      close: async () => {},
    };
  },
  'MCP Inspector': async ({ url, key }) => {
    const run = async (...args: readonly string[]) => {
      const common = ['--cli', `${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
      const { stdout } = await promisify(execFile)(inspector, [...common, ...args], { timeout: 60_000 }).catch(
        // A result that is an error ends with another code.
        (thrown: { stdout: string }) => thrown,
      );
      return JSON.parse(stdout) as { tools: { name: string }[]; content?: unknown; isError?: unknown };
    };
    return {
      list: async () => (await run('--method', 'tools/list')).tools.map(({ name }) => name),
      async call(name, args) {
        const pairs = Object.entries(args).map(
          ([field, value]) => `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        );
        const given = pairs.flatMap((pair) => ['--tool-arg', pair]);
        return readResult(await run('--method', 'tools/call', '--tool-name', name, ...given));
      },
      close: async () => {},
    };
  },
};

const optional: typeof clients = {
  LangChain: async ({ url, key }) => {
    const { MultiServerMCPClient } = await import(join(installed, '@langchain/mcp-adapters/dist/index.js'));
    const server = { transport: 'http', url: `${url}/mcp`, headers: bearer(key) };
    const client = new MultiServerMCPClient({ mcpServers: { assay: server } });
    const tools: readonly LangChainTool[] = await client.getTools();
    return {
      list: async () => tools.map(({ name }) => name),
      async call(name, args) {
        const found = tools.find((tool) => tool.name === name);
        try {
          const said = JSON.stringify(await found?.invoke({ id: 'c1', name, args, type: 'tool_call' }));
          return { text: said.replaceAll('\\', ''), hasPicture: said.includes('"image'), isError: false };
        } catch (error) {
          return { text: String(error), hasPicture: false, isError: true };
        }
      },
      close: () => client.close(),
    };
  },
  'MCP Python SDK': pythonClient('mcp'),
  'MCP Python SDK, earlier protocol': pythonClient('mcp-earlier'),
  'MCP Python SDK 1': pythonClient('mcp-1'),
  'fastmcp (Python)': pythonClient('fastmcp'),
  'LangChain (Python)': pythonClient('langchain'),
};

interface LangChainTool {
  readonly name: string;
  invoke(call: object): Promise<object>;
}

/** Why a client cannot be tried here. */
const missing: Readonly<Record<string, () => boolean>> = {
  LangChain: () => !existsSync(join(installed, '@langchain/mcp-adapters')),
  'MCP Python SDK': () => !hasPython('httpx2; from mcp import Client'),
  'MCP Python SDK, earlier protocol': () => !hasPython('httpx2; from mcp import Client'),
  'MCP Python SDK 1': () => !hasPython('mcp.server.fastmcp'),
  'fastmcp (Python)': () => !hasPython('fastmcp'),
  'LangChain (Python)': () => !hasPython('langchain_mcp_adapters.client'),
};

interface Openapi {
  GET(path: string, init: object): Promise<{ data?: unknown; error?: unknown }>;
  POST(path: string, init: object): Promise<{ data?: unknown; error?: unknown }>;
}

describe('the table of clients', () => {
  let server: Served;
  let folder = '';
  let key = '';
  let picture: Buffer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-table-'));
    server = await serveAssay({ cwd: folder });
    const admin = ['--url', server.address, '--key', server.adminKey ?? ''];
    const made = await runAssay(['keys', 'create', '--scopes', 'read,invoke', '--json', ...admin], { cwd: folder });
    ({ key } = JSON.parse(made.stdout) as { key: string });
    // Small enough for a command line.
    picture = await sharp(goldenImage('chelsea.png').bytes).resize(24).png().toBuffer();
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  const approve = (id: string) =>
    fetch(`${server.address}/v1/confirmations`, {
      method: 'POST',
      headers: { ...bearer(server.adminKey ?? ''), 'content-type': 'application/json' },
      body: JSON.stringify({ id, approve: true }),
    });

  for (const [name, connect] of Object.entries({ ...clients, ...optional })) {
    const skip = missing[name]?.() ? 'it is not installed; npm run clients' : false;
    test(`${name} lists, calls, gets a picture, is refused, and is let through after approval`, { skip }, async () => {
      const client = await connect({ url: server.address, key });
      const image = { base64: picture.toString('base64') };
      const write = { path: `${name.replaceAll(/\W/g, '')}.txt`, content: 'hello' };

      const tools = await client.list();
      const counted = await client.call('text_stats', { text: 'one two' });
      const small = await client.call('image_resize', { image, width: 8 });
      const refused = await client.call('file_write', write);
      const id = /confirmation (\w{26})/.exec(refused.text)?.[1] ?? '';
      const approved = await approve(id);
      const passed = await client.call('file_write', write);
      await client.close();

      assert.ok(tools.includes('text_stats') && tools.includes('file_write'));
      assert.match(counted.text, /"words":2/);
      assert.ok(small.hasPicture, small.text);
      assert.deepEqual([refused.isError, approved.status, passed.isError], [true, 200, false], refused.text);
    });
  }

  for (const [name, kind] of [
    ['MCP Python SDK', 'mcp-tasks'],
    ['MCP Python SDK 1', 'mcp-1-tasks'],
  ] as const) {
    const skip = missing[name]?.() ? 'it is not installed; npm run clients' : false;
    test(`X.20 the ${name} follows the task that waits for a person`, { skip }, async () => {
      let approving: Promise<unknown> | undefined;
      const connect = pythonClient(kind, ({ task = '' }) => {
        approving ??= approve(task.replace('consent_', ''));
      });
      const client = await connect({ url: server.address, key });
      const passed = await client.call('file_write', { path: `${kind}.txt`, content: 'hello' });
      await client.close();
      await approving;
      assert.ok(approving, 'the task was seen to wait');
      assert.equal(passed.isError, false, passed.text);
    });
  }
});
