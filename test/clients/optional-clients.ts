import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { followFirst } from './sdk-clients.ts';
import { bearer, type Client, type Connect, type Follow, readResult, type Target } from './tried.ts';

const installed = process.env.ASSAY_CLIENTS ?? 'node_modules';
const python = process.env.ASSAY_PYTHON ?? 'python3';

/** A process of Python that is told line by line what to do. */
const connectPython =
  (kind: string): Connect =>
  async ({ url, key }) => {
    const script = fileURLToPath(new URL('python_client.py', import.meta.url));
    const child = spawn(python, [script, kind, `${url}/mcp`, key], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (asked: object): Promise<Readonly<Record<string, unknown>>> => {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${kind} ended`);
      return JSON.parse(value);
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

/** A client of Python, by the kind that `python_client.py` knows; its tasks are a kind of their own. */
const pythonClient = (kind: string, needs: string, tasks?: string): Client => {
  const client: Client = { connect: connectPython(kind), isMissing: () => !hasPython(needs) };
  if (tasks === undefined) return client;
  const follow: Follow = async (target, name, args) => {
    const following = await connectPython(tasks)(target);
    const called = await following.call(name, args);
    await following.close();
    return called;
  };
  return { ...client, follow };
};

interface LangChainTool {
  readonly name: string;
  invoke(call: object): Promise<object>;
}

const langChain = async ({ url, key }: Target) => {
  const { MultiServerMCPClient } = await import(join(installed, '@langchain/mcp-adapters/dist/index.js'));
  const server = { transport: 'http', url: `${url}/mcp`, headers: bearer(key) };
  return new MultiServerMCPClient({ mcpServers: { assay: server } });
};

/** Its tools are called and waited for; a task is followed by the client of the MCP SDK 1 that it gives out. */
const langChainClient: Client = {
  isMissing: () => !existsSync(join(installed, '@langchain/mcp-adapters')),
  async connect(target) {
    const client = await langChain(target);
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
  async follow(target, name, args) {
    const client = await langChain(target);
    const called = await followFirst(await client.getClient('assay'), name, args);
    await client.close();
    return called;
  },
};

const SECOND = 'httpx2; from mcp import Client';

/** Clients that `npm run clients` tries, where they are installed. */
export const optionalClients: Readonly<Record<string, Client>> = {
  LangChain: langChainClient,
  'MCP Python SDK': pythonClient('mcp', SECOND, 'mcp-tasks'),
  'MCP Python SDK, earlier protocol': pythonClient('mcp-earlier', SECOND),
  'MCP Python SDK 1': pythonClient('mcp-1', 'mcp.server.fastmcp', 'mcp-1-tasks'),
  'fastmcp (Python)': pythonClient('fastmcp', 'fastmcp, fastmcp_tasks', 'fastmcp-tasks'),
  'LangChain (Python)': pythonClient('langchain', 'langchain_mcp_adapters.client', 'langchain-tasks'),
};
