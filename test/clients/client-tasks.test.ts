import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { clients } from './clients.ts';
import { optionalClients } from './optional-clients.ts';
import { startTableServer } from './table-server.ts';
import { bearer, readResult } from './tried.ts';

let server: Awaited<ReturnType<typeof startTableServer>>;
before(async () => {
  server = await startTableServer();
});
after(() => server.close());

const timeout = 240_000;

/** They mostly wait for the next time they ask. */
describe('clients that follow tasks', { concurrency: 4 }, () => {
  for (const [name, { follow, isMissing }] of Object.entries({ ...clients, ...optionalClients })) {
    if (!follow) continue;
    const skip = isMissing?.() ? 'it is not installed; npm run clients' : false;
    test(`X.20 ${name} calls once and follows the waiting task to its end`, { skip, timeout }, async () => {
      const write = { path: `${name.replaceAll(/\W/g, '')}-task.txt`, content: 'hello' };
      const [passed] = await Promise.all([follow(server, 'file_write', write), server.approveWriting(write.path)]);

      assert.equal(passed.isError, false, passed.text);
      assert.match(passed.text, /"bytes":5/);
    });
  }
});

describe('the AI SDK, which has no tasks', () => {
  interface Sent {
    readonly method?: string;
    readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
  }

  test('the AI SDK declares no tasks and requests none', async () => {
    const sent: Sent[] = [];
    const client = await createMCPClient({
      transport: {
        type: 'http',
        url: `${server.url}/mcp`,
        headers: bearer(server.key),
        fetch: (url, init) => {
          if (init?.body) sent.push(JSON.parse(String(init.body)));
          return fetch(url, init);
        },
      },
    });
    const tools = await client.tools();
    await tools.text_stats?.execute?.({ text: 'one' }, { toolCallId: 'c1', messages: [], context: {} } as never);
    const raw = client as unknown as { request(asked: object): Promise<unknown> };
    const asked = { request: { method: 'tasks/get', params: { taskId: 'x' } }, resultSchema: { parse: () => ({}) } };

    await assert.rejects(() => raw.request(asked), /Unsupported method: tasks\/get/);
    await client.close();
    const called = sent.find(({ method }) => method === 'tools/call');
    assert.deepEqual(called?.params?._meta?.['io.modelcontextprotocol/clientCapabilities'], {});
  });

  test('X.20 the AI SDK is asked by elicitation instead, within one call, and continues after approval', async () => {
    const write = { path: 'form.txt', content: 'hello' };
    const client = await createMCPClient({
      transport: { type: 'http', url: `${server.url}/mcp`, headers: bearer(server.key) },
      capabilities: { elicitation: {} },
    });
    const questions: string[] = [];
    client.onElicitationRequest(ElicitationRequestSchema, async ({ params }) => {
      questions.push(params.message);
      await server.approveWriting(write.path);
      return { action: 'accept', content: {} };
    });
    const tools = await client.tools();
    const passed = readResult({
      ...((await tools.file_write?.execute?.(write, {
        toolCallId: 'c1',
        messages: [],
        context: {},
      } as never)) as object),
    });
    await client.close();

    assert.equal(questions.length, 1);
    assert.match(questions[0] ?? '', /^Run file_write with .*form\.txt/);
    assert.equal(passed.isError, false, passed.text);
  });
});
