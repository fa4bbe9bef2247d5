import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CONNECT_CLIENTS, type ConnectClient } from '../../shared/connect/clients.ts';
import { connectLines } from '../../shared/connect/connect-lines.ts';
import { textOf } from '../support/mcp.ts';
import { runAssay, type Served, serveAssay } from '../support/process.ts';

const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));
const own = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Further clients may be installed elsewhere: `npm run clients` does so. */
const elsewhere = process.env.ASSAY_CLIENTS;
const folders = elsewhere === undefined ? [own] : [own, elsewhere];
const missing = (...names: readonly string[]): string | false => {
  const absent = names.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return absent.length === 0 ? false : `${absent.join(', ')} is not installed; npm run clients`;
};
const execute = promisify(execFile);
const wait = { timeout: 60_000 };

describe('client configurations, used as they are printed', () => {
  let server: Served;
  let key = '';
  let folder = '';
  const target = () => ({ url: server.address, key });
  const lines = (client: ConnectClient) => connectLines(client, target()).steps;
  const code = (client: ConnectClient): string => lines(client).at(-1)?.text ?? '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-clients-'));
    server = await serveAssay({ cwd: folder });
    const made = await runAssay(
      ['keys', 'create', '--scopes', 'read,invoke', '--json', '--url', server.address, '--key', server.adminKey ?? ''],
      { cwd: folder },
    );
    ({ key } = JSON.parse(made.stdout) as { key: string });
    await mkdir(join(folder, 'app'));
    await symlink(own, join(folder, 'app/node_modules'));
    if (elsewhere !== undefined) await symlink(elsewhere, join(folder, 'node_modules'));
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  /** Runs code as a module beside the packages it imports. */
  const run = async (client: ConnectClient, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const file = join(folder, 'app', `${client}.mjs`);
    await writeFile(file, code(client));
    const { stdout } = await execute(process.execPath, [file], { ...wait, env: { ...process.env, ...env } });
    return stdout;
  };

  test('the MCP TypeScript SDK lists and calls tools with the printed lines', async () => {
    const printed = await run('mcp-sdk');

    assert.match(printed, /^\d{2,} /);
    assert.match(printed, /words: 2/);
  });

  test('Claude Desktop’s configuration starts a command that speaks to the server', async () => {
    const { mcpServers } = JSON.parse(code('claude-desktop')) as {
      mcpServers: { assay: { command: string; args: string[]; env: Record<string, string> } };
    };
    const { command, args, env } = mcpServers.assay;
    assert.deepEqual([command, ...args.slice(0, 2)], ['npx', '-y', 'assay']);
    const client = new Client({ name: 'desktop', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [entry, ...args.slice(2)],
        env: { ...env, PATH: process.env.PATH ?? '', HOME: folder },
        cwd: folder,
      }),
    );

    const result = await client.callTool({ name: 'text_stats', arguments: { text: 'one two' } });
    await client.close();

    assert.match(textOf(result), /"words":2/);
  });

  for (const [client, field] of [
    ['cursor', 'mcpServers'],
    ['vscode', 'servers'],
  ] as const)
    test(`the ${CONNECT_CLIENTS[client]} file has a URL and headers that connect`, async () => {
      const [step] = lines(client);
      const file = JSON.parse(step?.text ?? '') as Record<
        typeof field,
        { assay: { url: string; headers: Record<string, string> } }
      >;
      const { url, headers } = file[field].assay;
      const given = JSON.parse(JSON.stringify(headers).replace(`\${input:assay-key}`, code(client))) as typeof headers;
      const connected = new Client({ name: client, version: '1' });
      const authorised = client === 'cursor' ? headers : given;
      await connected.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: authorised } }),
      );

      const { tools } = await connected.listTools();
      await connected.close();

      assert.ok(tools.length > 10);
    });

  test('the AI SDK accepts every tool', { skip: missing('@ai-sdk/mcp') }, async () => {
    assert.ok(Number(await run('ai-sdk')) > 10);
  });

  const noLangchain = missing('@langchain/mcp-adapters', '@langchain/core', '@langchain/langgraph');
  test('LangChain accepts every tool', { skip: noLangchain }, async () => {
    assert.ok(Number(await run('langchain')) > 10);
  });

  test('MCP Inspector lists the tools', async () => {
    const text = code('inspector').replace('npx @modelcontextprotocol/inspector', '"$INSPECTOR"');
    const INSPECTOR = join(own, '.bin/mcp-inspector');
    const { stdout } = await execute('sh', ['-c', text], { ...wait, env: { ...process.env, INSPECTOR }, cwd: folder });
    assert.match(stdout, /"text_stats"/);
  });

  const python = process.env.ASSAY_PYTHON ?? 'python3';
  const noPython =
    spawnSync(python, ['-c', 'import httpx2; from mcp import Client']).status === 0
      ? false
      : 'the Python package mcp 2 is not installed';
  test('the MCP Python SDK lists and calls tools with the printed lines', { skip: noPython }, async () => {
    const { stdout } = await execute(python, ['-c', code('python')], wait);
    assert.match(stdout, /words/);
  });

  const models = {
    openai: {
      output: [
        {
          type: 'function_call',
          call_id: 'c1',
          id: 'f1',
          name: 'text_stats',
          arguments: '{"text":"one two"}',
          status: 'completed',
        },
      ],
      object: 'response',
      id: 'r1',
      status: 'completed',
    },
    anthropic: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'stub',
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
      content: [{ type: 'tool_use', id: 'c1', name: 'text_stats', input: { text: 'one two' } }],
    },
  } as const;
  for (const client of ['openai', 'anthropic'] as const)
    test(`with the ${CONNECT_CLIENTS[client]} lines definitions are fetched, a model's call runs, and its result is returned`, async (t) => {
      const asked: string[] = [];
      const model = createServer((request, response) => {
        request.on('data', (part) => asked.push(String(part)));
        request.on('end', () =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(models[client])),
        );
      }).listen(0, '127.0.0.1');
      t.after(() => model.close());
      await new Promise((resolve) => model.once('listening', resolve));
      const base = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;

      const printed = await run(client, {
        OPENAI_BASE_URL: base,
        OPENAI_API_KEY: 'x',
        ANTHROPIC_BASE_URL: base,
        ANTHROPIC_API_KEY: 'x',
      });

      assert.match(asked.join(''), /"name":"text_stats"/);
      assert.match(printed, /c1/);
      assert.match(printed, /words/);
    });

  test('assay connect prints the same lines as the console, creates a key that cannot consent, and lists the known clients', async () => {
    const url = ['--url', server.address, '--key', key];
    const printed = await runAssay(['connect', 'cursor', '--json', ...url], { cwd: folder });
    const local = await runAssay(['connect', 'claude-code', '--data', join(folder, 'other')], { cwd: folder });
    const all = await runAssay(['connect', '--json'], { cwd: folder });
    const wrong = await runAssay(['connect', 'cursr', ...url], { cwd: folder });

    assert.deepEqual(JSON.parse(printed.stdout), connectLines('cursor', target()));
    assert.match(
      local.stdout,
      /claude mcp add --transport http assay 'http:\/\/127\.0\.0\.1:8787\/mcp' --header 'Authorization: Bearer ak_/,
    );
    assert.equal(
      (JSON.parse(all.stdout) as { clients: unknown[] }).clients.length,
      Object.keys(CONNECT_CLIENTS).length,
    );
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /cursor/);
  });
});
