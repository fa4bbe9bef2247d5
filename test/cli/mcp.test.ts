import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Era, eras, textOf } from '../support/mcp.ts';
import { runAssay, serveAssay } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const entry = fileURLToPath(new URL('../../functions/cli/assay.js', import.meta.url));
const write = { name: 'file_write', arguments: { path: 'a.txt', content: 'hello' } };

interface Options {
  readonly cwd: string;
  readonly era: Era;
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
}

/** The official client, which starts `assay mcp` and speaks to it by lines. */
const start = async (
  t: TestContext,
  { cwd, era, args = [], capabilities = {} }: Options,
  prepare?: (client: Client) => void,
) => {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  prepare?.(client);
  t.after(() => client.close());
  const { PATH = '', HOME = '' } = process.env;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [entry, 'mcp', ...args], cwd, env: { PATH, HOME } }),
  );
  return client;
};

describe('assay mcp', () => {
  for (const era of eras)
    test(`the ${era} client lists and calls tools and asks for consent through assay mcp on the data directory`, async (t) => {
      const cwd = await temporaryDirectory(t);
      const questions: string[] = [];
      const client = await start(t, { cwd, era, capabilities: { elicitation: { form: {} } } }, (made) =>
        made.setRequestHandler('elicitation/create', async ({ params }) => {
          questions.push(params.message);
          return { action: 'accept', content: {} };
        }),
      );

      const { tools } = await client.listTools();
      const summed = await client.callTool({ name: 'text_stats', arguments: { text: 'one two three' } });
      const written = await client.callTool(write);
      await client.close();

      assert.ok(tools.some(({ name }) => name === 'score_map'));
      assert.match(textOf(summed), /"words":3/);
      assert.equal(written.isError, undefined, textOf(written));
      assert.match(questions[0] ?? '', /^Run file_write with/);
      assert.equal(await readFile(join(cwd, '.assay/files/a.txt'), 'utf8'), 'hello');
    });

  test('assay mcp --url is a bridge to that registry, with the rights of its key', async (t) => {
    const cwd = await temporaryDirectory(t);
    const server = await serveAssay({ cwd });
    t.after(() => server.stop());
    const bridge = ['--url', server.address, '--key', server.adminKey ?? '', '--search'];
    const client = await start(t, { cwd, era: 'modern', args: bridge });
    const stranger = start(t, { cwd, era: 'legacy', args: ['--url', server.address, '--key', 'wrong'] });

    await assert.rejects(stranger, /Unauthenticated/);
    const { tools } = await client.listTools();
    const called = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'text_stats', arguments: { text: 'one two three' } },
    });
    await client.close();

    assert.deepEqual(
      tools.map(({ name }) => name),
      ['call_tool', 'find_tools'],
    );
    assert.match(textOf(called), /"words":3/);
  });

  test('a line that is not a message is answered with an error, and the next line is served', async (t) => {
    const cwd = await temporaryDirectory(t);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const input = ['nonsense', '[1]', 'x'.repeat(5_100_000), JSON.stringify(list), ''].join('\n');

    const { code, stdout } = await runAssay(['mcp'], { cwd, input });

    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number }; result?: { tools: unknown[] } });
    assert.equal(code, 0);
    assert.deepEqual(answers.map(({ error }) => error?.code).filter(Boolean), [-32_700, -32_700, -32_600]);
    assert.ok((answers.find(({ id }) => id === 1)?.result?.tools.length ?? 0) > 10);
  });

  test('assay mcp reports a registry that does not answer as an error of the call', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'empty'), '');
    const input = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';

    const { stdout } = await runAssay(['mcp', '--url', 'http://127.0.0.1:9', '--key', 'x'], { cwd, input });

    assert.match(stdout, /the registry did not answer/);
  });

  test('server.json names the package, its version and its command', async () => {
    const read = async (name: string) => JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'));
    const [server, npm] = await Promise.all([read('server.json'), read('package.json')]);

    assert.deepEqual([server.name, server.version], [npm.mcpName, npm.version]);
    const [bundle] = server.packages;
    assert.deepEqual([bundle.identifier, bundle.version], [npm.name, npm.version]);
    assert.deepEqual(
      bundle.packageArguments.map(({ value }: { value: string }) => value),
      ['mcp'],
    );
    assert.ok(server.description.length <= 100);
  });
});
