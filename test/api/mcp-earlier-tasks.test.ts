import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Scope } from '../../shared/model/key.ts';
import type { TestAssay } from '../support/assay.ts';
import { textOf } from '../support/mcp.ts';
import { executionsOf, type Json, PRICE, workshop } from '../support/mcp-tasks.ts';

interface Told {
  readonly type: string;
  readonly task?: { readonly taskId: string; readonly status: string; readonly statusMessage?: string };
  readonly result?: Json;
  readonly error?: Error;
}

describe('tasks of 2025-11-25, followed by the first generation of the MCP SDK', () => {
  let given: TestAssay & { release(): void };
  let client: Client;
  let other: Client;
  const connect = async (scopes: Scope[]): Promise<Client> => {
    const key = await given.key({ scopes });
    const made = new Client({ name: 'first', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      fetch: async (url, init) => given.app.fetch(new Request(url, init)),
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    await made.connect(transport as never);
    return made;
  };
  before(async () => {
    given = await workshop();
    client = await connect(['read', 'invoke']);
    other = await connect(['read', 'invoke', 'approve']);
  });
  after(() => Promise.all([client.close(), other.close()]));

  /** Calls a tool as a task and follows it; what is told on the way may be acted upon. */
  const follow = async (
    name: string,
    text: string,
    onTold: (told: Told) => unknown = () => {},
  ): Promise<readonly Told[]> => {
    const all: Told[] = [];
    const params = { name, arguments: { text } };
    for await (const told of client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: {} })) {
      all.push(told as Told);
      await onTold(told as Told);
    }
    return all;
  };
  const metaOf = (told: readonly Told[]): Json => (told.at(-1)?.result?._meta ?? {}) as Json;
  const decide = (approve: boolean) => async (told: Told) => {
    if (told.type !== 'taskCreated') return;
    const id = /confirmation (\w{26})/.exec(told.task?.statusMessage ?? '')?.[1];
    assert.equal((await given.json('POST', '/v1/confirmations', { id, approve })).status, 200);
  };

  test('a server of 2025-11-25 declares tasks, and its tool list says which tools support them', async () => {
    assert.deepEqual(client.getServerCapabilities()?.tasks, { cancel: {}, requests: { tools: { call: {} } } });
    const { tools } = await client.listTools();
    const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
    assert.deepEqual([support.ask, support.shout_plan, support.shout], ['optional', 'optional', undefined]);
  });

  test('a plan runs as a 2025-11-25 task, and its result is that of the call', async () => {
    const told = await follow('shout_plan', 'hi');

    assert.equal(told[0]?.type, 'taskCreated');
    const { result } = told.at(-1) ?? {};
    assert.match(JSON.stringify(result?.structuredContent), /hi!!/);
    assert.deepEqual(metaOf(told)['io.modelcontextprotocol/related-task'], { taskId: told[0]?.task?.taskId });
  });

  test('X.20 a 2025-11-25 task that needs consent waits for the person and runs once approved', async () => {
    const told = await follow('ask', 'one', decide(true));

    assert.deepEqual([told[0]?.type, told[0]?.task?.status], ['taskCreated', 'working']);
    assert.deepEqual(told.at(-1)?.result?.structuredContent, { text: 'one!' });
    const ran = (await executionsOf(given, 'ask')).filter(({ status }) => status === 'ok');
    assert.equal(ran.length, 1);
    assert.equal(metaOf(told)['assay/charged_micros'], PRICE);
  });

  test('a 2025-11-25 task that a person denies ends without running, and says so', async () => {
    const told = await follow('ask', 'two', decide(false));

    assert.equal(told.at(-1)?.result?.isError, true);
    assert.match(textOf(told.at(-1)?.result ?? {}), /was refused by/);
  });

  test('a call that ends at once is a completed 2025-11-25 task', async () => {
    const told = await follow('shout', 'now');
    const failed = await follow('fail', 'now');

    assert.equal(told[0]?.task?.status, 'completed');
    assert.deepEqual(told.at(-1)?.result?.structuredContent, { text: 'now!' });
    assert.equal(failed.at(-1)?.result?.isError, true);
    assert.match(textOf(failed.at(-1)?.result ?? {}), /the kiln is cold/);
  });

  test('a 2025-11-25 task is cancelled only by its caller, hidden from others, and an error when unknown', async () => {
    let id = '';
    const told = await follow('ask', 'three', async ({ type, task }) => {
      if (type !== 'taskCreated') return;
      id = task?.taskId ?? '';
      await assert.rejects(() => other.experimental.tasks.getTask(id), /there is no task/);
      await assert.rejects(() => other.experimental.tasks.getTaskResult(id, CallToolResultSchema), /there is no task/);
      await assert.rejects(() => other.experimental.tasks.cancelTask(id), /there is no task/);
      assert.equal((await client.experimental.tasks.cancelTask(id)).status, 'cancelled');
    });

    assert.match(told.at(-1)?.error?.message ?? '', /was cancelled/);
    await assert.rejects(() => client.experimental.tasks.getTaskResult(id, CallToolResultSchema), /was cancelled/);
    await assert.rejects(() => client.experimental.tasks.getTask('01ARZ3NDEKTSV4RRFFQ69G5FAV'), /there is no task/);
  });

  test('requesting the result of a running 2025-11-25 task waits for it', async () => {
    const asked = Promise.withResolvers<Json>();
    let isThere = false;
    await follow('hold_plan', 'wait', async ({ type, task }) => {
      if (type !== 'taskCreated') return;
      const asking = client.experimental.tasks.getTaskResult(task?.taskId ?? '', CallToolResultSchema);
      void asking.then((got) => {
        isThere = true;
        asked.resolve(got);
      }, asked.reject);
      await client.experimental.tasks.getTask(task?.taskId ?? '');
      assert.equal(isThere, false);
      given.release();
    });
    const result = await asked.promise;

    assert.match(JSON.stringify(result.structuredContent), /wait!!/);
  });

  test('a key without the scope read is refused a 2025-11-25 task before anything runs', async () => {
    const blind = await connect(['invoke']);
    const before = (await executionsOf(given, 'shout')).length;
    const stream = blind.experimental.tasks.callToolStream(
      { name: 'shout', arguments: { text: 'x' } },
      CallToolResultSchema,
      { task: {} },
    );
    const [told] = await Array.fromAsync(stream);

    assert.match(JSON.stringify((told as Told).error?.message), /read/);
    assert.equal((await executionsOf(given, 'shout')).length, before);
    await blind.close();
  });
});
