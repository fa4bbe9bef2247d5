import { Client as SecondClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Arguments, bearer, type Called, type Client, readResult, type Target } from './tried.ts';

const VERSION = '2026-07-28';
const INFO = { name: 'table', version: '1' };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const transportTo = ({ url, key }: Target) =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: bearer(key) } });

const connectSecond = async (target: Target, isModern: boolean, capabilities = {}): Promise<SecondClient> => {
  const mode = isModern ? { pin: VERSION } : ('legacy' as const);
  const client = new SecondClient(INFO, { capabilities, versionNegotiation: { mode } });
  await client.connect(transportTo(target));
  return client;
};

type Dispatch = NonNullable<Parameters<typeof createTaskSessionFromClient>[1]['rawDispatch']>;
type Response = Awaited<ReturnType<Dispatch>>;

/** Requests beside the client, which takes no answers with tasks in the later protocol: its package wants them so. */
const besides = async (target: Target): Promise<{ dispatch: Dispatch; close(): Promise<void> }> => {
  const waiting = new Map<unknown, (response: Response) => void>();
  const transport = transportTo(target);
  transport.onmessage = (message) => {
    const { id, result, error } = message as { id?: unknown; result?: unknown; error?: unknown };
    const response = error === undefined ? { kind: 'result', result } : { kind: 'error', error };
    waiting.get(id)?.(response as Response);
  };
  await transport.start();
  transport.setProtocolVersion(VERSION);
  const dispatch: Dispatch = (request) =>
    new Promise((resolve, reject) => {
      const id = `task-${waiting.size}`;
      waiting.set(id, resolve);
      transport.send({ jsonrpc: '2.0', id, ...(request as { method: string }) }).catch(reject);
    });
  return { dispatch, close: () => transport.close() };
};

const followSecond = async (isModern: boolean, target: Target, name: string, args: Arguments): Promise<Called> => {
  const client = await connectSecond(target, isModern, isModern ? TASKS : {});
  const wire = isModern ? await besides(target) : undefined;
  const framing = { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: TASKS };
  const options = { endpointId: 'table' };
  const session = wire
    ? createTaskSessionFromClient(client, { ...options, rawDispatch: wire.dispatch, v2RequestFraming: framing })
    : createTaskSessionFromClient(client, options);
  const execution = await session.callTool(name, args as never, { task: { preference: 'prefer' } });
  const { outcome } = await execution.settle();
  await session.close();
  await wire?.close();
  await client.close();
  return readResult({ ...resultFromTaskOutcome(outcome) });
};

/** The second generation of the MCP TypeScript SDK, in either protocol, with its package for tasks. */
export const secondSdk = (isModern: boolean): Client => ({
  async connect(target) {
    const client = await connectSecond(target, isModern);
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => readResult(await client.callTool({ name, arguments: { ...args } })),
      close: () => client.close(),
    };
  },
  follow: (target, name, args) => followSecond(isModern, target, name, args),
});

const connectFirst = async ({ url, key }: Target): Promise<FirstClient> => {
  const client = new FirstClient(INFO);
  const transport = new FirstTransport(new URL(`${url}/mcp`), { requestInit: { headers: bearer(key) } });
  await client.connect(transport as never);
  return client;
};

/** Follows a task with a client of the first generation, whoever made it. */
export const followFirst = async (client: FirstClient, name: string, args: Arguments): Promise<Called> => {
  const asked = { name, arguments: { ...args } };
  const stream = client.experimental.tasks.callToolStream(asked, CallToolResultSchema, { task: {} });
  const told = (await Array.fromAsync(stream)) as { type: string; result?: Readonly<Record<string, unknown>> }[];
  const { type, result } = told.at(-1) ?? { type: 'nothing' };
  return result ? readResult(result) : { text: `it ended with ${type}`, hasPicture: false, isError: true };
};

/** The first generation, whose tasks are those of 2025-11-25. */
export const firstSdk: Client = {
  async connect(target) {
    const client = await connectFirst(target);
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => readResult(await client.callTool({ name, arguments: { ...args } })),
      close: () => client.close(),
    };
  },
  async follow(target, name, args) {
    const client = await connectFirst(target);
    const called = await followFirst(client, name, args);
    await client.close();
    return called;
  },
};
