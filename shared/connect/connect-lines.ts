import { CONNECT_CLIENTS, type ConnectClient } from './clients.ts';

/** The server to connect to. */
export interface ConnectTarget {
  /** Its address, such as `https://assay.example.com`. */
  readonly url: string;
  readonly key: string;
}

/** Something to type, or to put into a file. */
export interface ConnectStep {
  readonly about: string;
  /** The file for the text; a command or code when absent. */
  readonly file?: string;
  readonly text: string;
}

export interface ConnectGuide {
  readonly client: ConnectClient;
  readonly title: string;
  readonly steps: readonly ConnectStep[];
  /** What else is needed, if a key alone is not enough. */
  readonly note?: string;
}

/** The exact lines that connect a client to a server, with its address and key filled in. */
export const connectLines = (client: ConnectClient, { url, key }: ConnectTarget): ConnectGuide => {
  const address = url.replace(/\/+$/, '');
  return { client, title: CONNECT_CLIENTS[client], ...guides[client](`${address}/mcp`, key, address) };
};

type Guide = (mcp: string, key: string, url: string) => Pick<ConnectGuide, 'steps' | 'note'>;

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);
const code = (value: string): string => JSON.stringify(value);
/** Quotes a word for a POSIX shell. */
const shell = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const onlyOauth =
  'It sends no key of its own: the server must name an issuer of tokens (ASSAY_ISSUERS), and be reachable from outside.';

const guides: Readonly<Record<ConnectClient, Guide>> = {
  'claude-desktop': (_, key, url) => ({
    steps: [
      {
        about: 'Settings, Developer, Edit Config; then restart Claude',
        file: 'claude_desktop_config.json',
        text: pretty({
          mcpServers: {
            assay: { command: 'npx', args: ['-y', 'assay', 'mcp'], env: { ASSAY_URL: url, ASSAY_KEY: key } },
          },
        }),
      },
    ],
  }),
  'claude-code': (mcp, key) => ({
    steps: [
      {
        about: 'In a terminal',
        text: `claude mcp add --transport http assay ${shell(mcp)} --header ${shell(`Authorization: Bearer ${key}`)}`,
      },
    ],
  }),
  'claude-web': (mcp) => ({
    steps: [{ about: 'Settings, Connectors, Add custom connector: this address', text: mcp }],
    note: onlyOauth,
  }),
  chatgpt: (mcp) => ({
    steps: [{ about: 'Settings, Connectors, Create (developer mode): this address', text: mcp }],
    note: onlyOauth,
  }),
  cursor: (mcp, key) => ({
    steps: [
      {
        about: 'In the project, or in the home folder for all of them',
        file: '.cursor/mcp.json',
        text: pretty({ mcpServers: { assay: { url: mcp, headers: bearer(key) } } }),
      },
    ],
  }),
  vscode: (mcp, key) => ({
    steps: [
      {
        about: 'In the workspace; the key is asked for once and kept by VS Code',
        file: '.vscode/mcp.json',
        text: pretty({
          inputs: [{ type: 'promptString', id: 'assay-key', description: 'Assay key', password: true }],
          servers: { assay: { type: 'http', url: mcp, headers: bearer(`\${input:assay-key}`) } },
        }),
      },
      { about: 'The key to give when asked', text: key },
    ],
  }),
  'mcp-sdk': (mcp, key) => ({
    steps: [
      { about: 'Install', text: 'npm install @modelcontextprotocol/client' },
      {
        about: 'Connect, list and call',
        text: `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'my-agent', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(${code(mcp)}), {
  requestInit: { headers: ${JSON.stringify(bearer(key))} },
}));
const { tools } = await client.listTools();
console.log(tools.length, await client.callTool({ name: 'text_stats', arguments: { text: 'one two' } }));
await client.close();`,
      },
    ],
  }),
  inspector: (mcp, key) => ({
    steps: [
      {
        about: 'In a terminal',
        text: `npx @modelcontextprotocol/inspector --cli ${shell(mcp)} --transport http --method tools/list --header ${shell(`Authorization: Bearer ${key}`)}`,
      },
    ],
  }),
  'ai-sdk': (mcp, key) => ({
    steps: [
      { about: 'Install', text: 'npm install ai @ai-sdk/mcp' },
      {
        about: 'The tools of generateText and streamText',
        text: `import { createMCPClient } from '@ai-sdk/mcp';

const client = await createMCPClient({
  transport: { type: 'http', url: ${code(mcp)}, headers: ${JSON.stringify(bearer(key))} },
});
const tools = await client.tools();
console.log(Object.keys(tools).length);
await client.close();`,
      },
    ],
  }),
  langchain: (mcp, key) => ({
    steps: [
      { about: 'Install', text: 'npm install @langchain/mcp-adapters @langchain/core @langchain/langgraph' },
      {
        about: 'The tools of an agent',
        text: `import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const client = new MultiServerMCPClient({
  mcpServers: { assay: { transport: 'http', url: ${code(mcp)}, headers: ${JSON.stringify(bearer(key))} } },
});
const tools = await client.getTools();
console.log(tools.length);
await client.close();`,
      },
    ],
  }),
  openai: (_, key, url) => ({
    steps: [
      {
        about: 'Definitions from here, calls run here',
        text: `import OpenAI from 'openai';

const assay = (path, body) => fetch(${code(url)} + path, {
  method: body ? 'POST' : 'GET', headers: { ...${JSON.stringify(bearer(key))}, 'content-type': 'application/json' },
  body: body && JSON.stringify(body),
}).then((answer) => answer.json());
const tools = await assay('/v1/providers/openai-responses/tools?allowed=text_stats');
const input = [{ role: 'user', content: 'How many words has "one two"?' }];
const response = await new OpenAI().responses.create({ model: 'gpt-5', input, tools });
const { calls } = await assay('/v1/providers/openai-responses/calls', response);
const results = await Promise.all(calls.map(async ({ id, name, arguments: args }) =>
  ({ id, name, output: (await assay(\`/v1/tools/\${name}/invoke\`, { arguments: args })).output })));
console.log(JSON.stringify(await assay('/v1/providers/openai-responses/results', { results })));`,
      },
    ],
  }),
  anthropic: (_, key, url) => ({
    steps: [
      {
        about: 'Definitions from here, calls run here',
        text: `import Anthropic from '@anthropic-ai/sdk';

const assay = (path, body) => fetch(${code(url)} + path, {
  method: body ? 'POST' : 'GET', headers: { ...${JSON.stringify(bearer(key))}, 'content-type': 'application/json' },
  body: body && JSON.stringify(body),
}).then((answer) => answer.json());
const tools = await assay('/v1/providers/anthropic/tools?allowed=text_stats');
const messages = [{ role: 'user', content: 'How many words has "one two"?' }];
const message = await new Anthropic().messages.create({ model: 'claude-sonnet-4-5', max_tokens: 1000, messages, tools });
const { calls } = await assay('/v1/providers/anthropic/calls', message);
const results = await Promise.all(calls.map(async ({ id, name, arguments: args }) =>
  ({ id, name, output: (await assay(\`/v1/tools/\${name}/invoke\`, { arguments: args })).output })));
console.log(JSON.stringify(await assay('/v1/providers/anthropic/results', { results })));`,
      },
    ],
  }),
  python: (mcp, key) => ({
    steps: [
      { about: 'Install', text: 'pip install "mcp>=2"' },
      {
        about: 'Connect, list and call',
        text: `import asyncio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    async with httpx2.AsyncClient(headers=${JSON.stringify(bearer(key))}, timeout=60) as http:
        async with Client(streamable_http_client(${code(mcp)}, http_client=http)) as client:
            print(len((await client.list_tools()).tools))
            print(await client.call_tool("text_stats", {"text": "one two"}))

asyncio.run(main())`,
      },
    ],
  }),
};
