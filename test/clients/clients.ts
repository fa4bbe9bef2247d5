import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import createClient from 'openapi-fetch';
import { firstSdk, secondSdk } from './sdk-clients.ts';
import { type Arguments, bearer, type Called, type Client, readResult, type Target } from './tried.ts';

type Answer = Readonly<Record<string, unknown>>;

/** The AI SDK has no tasks; `test/clients/client-tasks.test.ts` says what it has. */
const aiSdk: Client = {
  async connect({ url, key }) {
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
};

interface Openapi {
  GET(path: string, init: object): Promise<{ data?: unknown; error?: unknown }>;
  POST(path: string, init: object): Promise<{ data?: unknown; error?: unknown }>;
}

const openapi = ({ url, key }: Target) => createClient({ baseUrl: url, headers: bearer(key) }) as never as Openapi;

const toCalled = (data: unknown, error: unknown): Called => {
  const text = JSON.stringify(data ?? (error as { error: { message: string } }).error.message);
  return { text, hasPicture: text.includes('"base64"'), isError: error !== undefined };
};

interface Run {
  readonly run_id: string;
  readonly status: string;
}

/** What goes on and can be polled over HTTP is a run: here of a plan with one node. */
const followRun = async (target: Target, tool: string, args: Arguments): Promise<Called> => {
  const api = openapi(target);
  const nodes = [{ id: 'only', tool, arguments: args }];
  const { data: plan } = await api.POST('/v1/plans', { body: { nodes } });
  const path = { id: (plan as { plan_id: string }).plan_id };
  const { data: started, error } = await api.POST('/v1/plans/{id}/runs', { params: { path }, body: {} });
  if (error !== undefined) return toCalled(undefined, error);
  for (;;) {
    const asked = { params: { path: { id: (started as Run).run_id } } };
    const { data } = await api.GET('/v1/runs/{id}', asked);
    const { status } = data as Run;
    if (status !== 'running') return { ...toCalled(data, undefined), isError: status !== 'ok' };
    await wait(100);
  }
};

const openapiFetch: Client = {
  async connect(target) {
    const api = openapi(target);
    return {
      async list() {
        const { data } = await api.GET('/v1/tools', { params: { query: { limit: 200 } } });
        return (data as { tools: { spec: { name: string } }[] }).tools.map(({ spec }) => spec.name);
      },
      async call(name, args) {
        const asked = { params: { path: { name } }, body: { arguments: args } };
        const { data, error } = await api.POST('/v1/tools/{name}/invoke', asked);
        return toCalled(data, error);
      },
      close: async () => {},
    };
  },
  follow: followRun,
};

const runInspector = async ({ url, key }: Target, ...args: readonly string[]): Promise<Answer> => {
  const common = ['--cli', `${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
  const command = 'node_modules/.bin/mcp-inspector';
  const { stdout } = await promisify(execFile)(command, [...common, ...args], { timeout: 60_000 }).catch(
    // A result that is an error ends with another code.
    (thrown: { stdout: string }) => thrown,
  );
  return JSON.parse(stdout) as Answer;
};

const inspectorCall = (name: string, args: Arguments): readonly string[] => {
  const pairs = Object.entries(args).map(
    ([field, value]) => `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return ['--method', 'tools/call', '--tool-name', name, ...pairs.flatMap((pair) => ['--tool-arg', pair])];
};

/** Its command line follows tasks by itself, in the later protocol. */
const inspector: Client = {
  async connect(target) {
    return {
      async list() {
        const { tools } = await runInspector(target, '--method', 'tools/list');
        return (tools as { name: string }[]).map(({ name }) => name);
      },
      call: async (name, args) => readResult(await runInspector(target, ...inspectorCall(name, args))),
      close: async () => {},
    };
  },
  follow: async (target, name, args) =>
    readResult(await runInspector(target, '--protocol-era', 'modern', ...inspectorCall(name, args))),
};

/** The clients of `npm test`. */
export const clients: Readonly<Record<string, Client>> = {
  'MCP SDK 2, protocol 2026-07-28': secondSdk(true),
  'MCP SDK 2, earlier protocol': secondSdk(false),
  'MCP SDK 1': firstSdk,
  'AI SDK': aiSdk,
  'openapi-fetch': openapiFetch,
  'MCP Inspector': inspector,
};
