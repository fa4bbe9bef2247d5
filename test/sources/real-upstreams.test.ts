import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { adminActor } from '../../shared/access/scopes.ts';
import { executeTool } from '../../shared/execute/execute.ts';
import type { SourceView } from '../../shared/sources/view.ts';
import { type TestAssay, testAssay } from '../support/assay.ts';
import { connectClient } from '../support/mcp.ts';
import { testSources } from '../support/sources.ts';

const scriptOf = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
};

describe('X.16 real servers of the MCP project', () => {
  let folder: string;
  let product: TestAssay;
  let everything: ReturnType<typeof spawn>;
  let url: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-sources-'));
    const node = (name: string, ...args: string[]) => ({ command: process.execPath, args: [scriptOf(name), ...args] });
    product = await testAssay({
      sources: testSources({
        everything: node('everything', 'stdio'),
        files: node('filesystem', folder),
        memory: { ...node('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
      }),
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}/mcp`;
    everything = spawn(process.execPath, [scriptOf('everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const text of everything.stderr as AsyncIterable<Buffer>) if (String(text).includes('listening')) break;
  });

  after(async () => {
    everything.kill('SIGKILL');
    await product.assay.close();
    await rm(folder, { recursive: true, force: true });
  });

  const add = async (name: string, address = 'http://127.0.0.1/unused'): Promise<SourceView> => {
    const source = { name, kind: 'mcp', url: address, permission: 'safe' };
    const { body } = await product.json<SourceView>('POST', '/v1/sources', source);
    assert.equal(body.status, 'ok', JSON.stringify(body));
    return body;
  };
  const call = async (name: string, args: object = {}) =>
    executeTool(product.assay, adminActor(), { name, arguments: args });

  for (const [name, where] of [
    ['everything', 'by its command'],
    ['http', 'over HTTP'],
  ] as const)
    test(`server-everything, ${where}: texts, structures, pictures, links and progress are passed on`, async () => {
      const { tools, problems } = await add(name, url);
      assert.ok(tools >= 12, String(tools));
      assert.deepEqual(problems, undefined);
      assert.equal((await call(`${name}_echo`, { message: 'hi' })).output, 'Echo: hi');
      const { output } = await call(`${name}_get-structured-content`, { location: 'New York' });
      assert.equal(typeof (output as { temperature: number }).temperature, 'number');
      const picture = (await call(`${name}_get-tiny-image`)).output as { content: { type: string }[] };
      assert.ok(picture.content.some(({ type }) => type === 'image'));
      const links = (await call(`${name}_get-resource-links`, { count: 2 })).output as { content: { type: string }[] };
      assert.equal(links.content.filter(({ type }) => type === 'resource_link').length, 2);
      const progress: number[] = [];
      const long = { name: `${name}_trigger-long-running-operation`, arguments: { duration: 0.2, steps: 2 } };
      await executeTool(product.assay, adminActor(), long, undefined, { progress: (done) => void progress.push(done) });
      assert.equal(progress[0], 1);
      const bad = await product.json<{ error: { code: string } }>('POST', `/v1/tools/${name}_get-sum/invoke`, {
        arguments: { a: 'x', b: 1 },
      });
      assert.equal(bad.status, 400);
    });

  test('server-everything: a call that its caller cancels is cancelled upstream', async () => {
    const giveUp = new AbortController();
    const long = { name: 'http_trigger-long-running-operation', arguments: { duration: 30, steps: 3 } };
    const calling = executeTool(product.assay, adminActor(), long, giveUp.signal);
    setTimeout(() => giveUp.abort(), 50);
    const outcome = await calling;
    assert.equal(outcome.status, 'failed');
    assert.equal(outcome.error?.type, 'Cancelled');
  });

  test('server-everything: the upstream’s elicitation reaches the caller', async () => {
    const asked: unknown[] = [];
    const client = await connectClient(
      product.app,
      'admin-key-for-tests',
      { era: 'legacy', capabilities: { elicitation: { form: {} } } },
      (made) =>
        made.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params);
          return { action: 'accept', content: { name: 'Ada' } };
        }),
    );
    const result = await client.callTool({ name: 'http_trigger-elicitation-request', arguments: {} });
    await client.close();
    assert.equal(asked.length, 1);
    assert.match(JSON.stringify(result.content), /Ada/);
  });

  test('the filesystem and memory MCP servers work as sources', async () => {
    await writeFile(join(folder, 'note.txt'), 'remember the milk');
    assert.ok((await add('files')).tools >= 10);
    const read = (await call('files_read_text_file', { path: join(folder, 'note.txt') })).output;
    assert.match(JSON.stringify(read), /remember the milk/);
    const outside = await call('files_read_text_file', { path: '/etc/hostname' });
    assert.equal(outside.status, 'failed');
    assert.match(outside.error?.message ?? '', /denied|outside/i);
    assert.equal((await add('memory')).tools, 9);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    assert.equal((await call('memory_create_entities', { entities })).status, 'ok');
    assert.match(JSON.stringify((await call('memory_search_nodes', { query: 'Ada' })).output), /first program/);
  });
});
