import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { localRuns } from '../../functions/cli/local-runs.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { quotaKey } from '../../shared/keys.ts';
import type { LocalRuns } from '../../shared/plan/local-runs.ts';
import type { Runs } from '../../shared/plan/runs.ts';
import type { Handler } from '../../shared/ports.ts';
import { ADMIN_KEY, type TestAssay, testAssay } from '../support/assay.ts';
import { connectClient, textOf } from '../support/mcp.ts';
import { aTool } from '../support/tools.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const PRICE = 7;
/** Turns of at least 5 ms. */
const PATIENCE = 600;

type Json = Readonly<Record<string, unknown>>;

interface Reply {
  readonly result: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Workshop extends TestAssay {
  /** Lets the tool `hold` go on. */
  release(): void;
}

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const shout: Handler = { permission: 'safe', run: async ({ text: said }) => ({ text: `${String(said)}!` }) };
const fail: Handler = { permission: 'safe', run: async () => Promise.reject(new Error('the kiln is cold')) };

/** Tools, plans of them, and each plan registered as a tool by the plan's name. */
const workshop = async (adapt: (runs: LocalRuns) => Runs = (runs) => runs): Promise<Workshop> => {
  const blobs = memoryBlobs();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const hold: Handler = { permission: 'safe', run: (args, context) => held.then(() => shout.run(args, context)) };
  const given = await testAssay({
    blobs,
    prices: { operations: {}, tools: {}, cached_share: 0 },
    handlers: { builtin: new Map(Object.entries({ shout, fail, hold })), internal: new Map() },
    startRuns: (context) => adapt(localRuns(context, blobs)),
  });
  for (const [name, permission] of [
    ['shout', 'safe'],
    ['fail', 'safe'],
    ['hold', 'safe'],
    ['ask', 'confirm'],
  ] as const)
    await given.json('POST', '/v1/tools', {
      ...aTool({ name, permission, parameters: text, output_schema: text }),
      implementation: { type: 'builtin', handler: name === 'ask' ? 'shout' : name },
      price_micros: PRICE,
    });
  for (const tool of ['shout', 'fail', 'hold', 'ask'])
    await planTool(given, `${tool}_plan`, [
      { id: 'a', tool: 'shout', arguments: { text: { $from: '$input.text' } } },
      { id: 'b', tool, arguments: { text: { $from: 'a.text' } } },
    ]);
  return { ...given, release };
};

/** Runs as they are on state machines: this process hears nothing of their end. */
const elsewhere = (runs: LocalRuns): Runs & Pick<LocalRuns, 'close'> => ({
  start: async (request) => ({ ...(await runs.start(request)), engine: 'STANDARD' }),
  view: (tenant, id) => runs.view(tenant, id),
  confirm: (tenant, id, node, decision) => runs.confirm(tenant, id, node, decision),
  cancel: (tenant, id) => runs.cancel(tenant, id),
  close: () => runs.close(),
});

const planTool = async ({ json }: TestAssay, name: string, nodes: readonly object[]): Promise<void> => {
  const { body: plan } = await json<{ plan_id: string }>('POST', '/v1/plans', { nodes, input_schema: text });
  const { status } = await json('POST', `/v1/plans/${plan.plan_id}/tool`, { name, version: '1.0.0' });
  assert.equal(status, 201);
};

const withTasks = { extensions: { [EXTENSION]: {} } };
const withPerson = { ...withTasks, elicitation: { form: {} } };

/** Speaks the protocol of 2026-07-28 as it is on the wire: the official client knows no tasks. */
const speaker =
  ({ request }: TestAssay, key = ADMIN_KEY, capabilities: object = withTasks) =>
  async (method: string, params: Json): Promise<Reply> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    const response = await request('POST', '/mcp', message, key, {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId ?? ''),
    });
    return JSON.parse(await response.text());
  };

type Speak = ReturnType<typeof speaker>;

const call = async (speak: Speak, name: string, more: Json = {}): Promise<Json> =>
  (await speak('tools/call', { name, arguments: { text: 'hi' }, ...more })).result;

/** Calls a plan that needs consent, given at once, as the protocol asks for it before there is a task. */
const callWithConsent = async (speak: Speak, name: string): Promise<Json> => {
  const { requestState, inputRequests } = await call(speak, name);
  const [question = ''] = Object.keys(inputRequests as object);
  return call(speak, name, { requestState, inputResponses: { [question]: { action: 'accept', content: {} } } });
};

/** Polls as a client would, until the task has left the states given. */
const poll = async (speak: Speak, taskId: unknown, ...states: readonly string[]): Promise<Json> => {
  for (let turn = 0; turn < PATIENCE; turn++) {
    const { result } = await speak('tasks/get', { taskId });
    if (!states.includes(String(result.status))) return result;
    await wait(5);
  }
  return assert.fail(`the task ${taskId} stays ${states.join(' or ')}`);
};

const executionsOf = async ({ assay, json }: TestAssay, tool: string): Promise<readonly Json[]> => {
  await assay.recorder.flush();
  const { body } = await json<{ executions: readonly Json[] }>('GET', `/v1/executions?tool=${tool}`);
  return body.executions;
};

/** What the ledger says of a key once the call has been recorded. */
const recorded = async (given: TestAssay, tool: string): Promise<Json> => {
  for (let turn = 0; turn < PATIENCE; turn++) {
    const [found] = await executionsOf(given, tool);
    if (found) return found;
    await wait(5);
  }
  return assert.fail(`no call of ${tool} is recorded`);
};

describe('runs as MCP tasks', () => {
  test('server/discover announces the extension', async () => {
    const { result } = await speaker(await workshop())('server/discover', {});

    assert.deepEqual((result.capabilities as Json).extensions, { [EXTENSION]: {} });
  });

  test('a plan answers at once with a task, whose result is that of a call that waits', async () => {
    const given = await workshop();
    const speak = speaker(given);

    const task = await call(speak, 'hold_plan');
    const { body: run } = await given.json<{ status: string }>('GET', `/v1/runs/${task.taskId}`);
    const working = await poll(speak, task.taskId, 'completed');
    given.release();
    const done = await poll(speak, task.taskId, 'working');

    assert.deepEqual([task.resultType, task.status], ['task', 'working']);
    assert.ok(Number(task.ttlMs) > 0 && Number(task.ttlMs) <= 900_000);
    assert.equal('content' in task, false);
    assert.equal(run.status, 'running');
    assert.equal(working.resultType, 'complete');
    assert.match(String(working.statusMessage), /^[01] of 2 nodes done/);
    assert.equal(done.status, 'completed');
    assert.equal(done.statusMessage, '2 of 2 nodes done');
    assert.ok(String(done.lastUpdatedAt) >= String(done.createdAt));
    const waited = await (await connectClient(given.app, ADMIN_KEY, { era: 'modern' })).callTool({
      name: 'hold_plan',
      arguments: { text: 'hi' },
    });
    const { content, structuredContent } = done.result as typeof waited;
    assert.deepEqual(
      { content, structuredContent },
      { content: waited.content, structuredContent: { b: { text: 'hi!!' } } },
    );
  });

  test('a plan that fails is a task whose result is the error, as the extension wants it', async () => {
    const given = await workshop();
    const speak = speaker(given);

    const done = await poll(speak, (await call(speak, 'fail_plan')).taskId, 'working');

    assert.equal(done.status, 'completed');
    const result = done.result as Json;
    assert.equal(result.isError, true);
    assert.match(textOf(result), /the kiln is cold/);
    assert.match(String(done.statusMessage), /the kiln is cold/);
  });

  test('R1.22 a node that waits for consent asks through the task, and goes on when it is given', async () => {
    const given = await workshop();
    const speak = speaker(given, ADMIN_KEY, withPerson);

    const { taskId } = await callWithConsent(speak, 'ask_plan');
    const asking = await poll(speak, taskId, 'working');
    const requests = asking.inputRequests as Record<string, { method: string; params: { message: string } }>;
    const stray = await speak('tasks/update', { taskId, inputResponses: { 'consent:a': { action: 'decline' } } });
    const still = await poll(speak, taskId, 'working');
    const told = { taskId, inputResponses: { 'consent:b': { action: 'accept', content: {} } } };
    const { result: acknowledged } = await speak('tasks/update', told);
    const done = await poll(speak, taskId, 'working', 'input_required');
    const again = await speak('tasks/update', told);

    assert.equal(asking.status, 'input_required');
    assert.deepEqual(Object.keys(requests), ['consent:b']);
    assert.equal(requests['consent:b']?.method, 'elicitation/create');
    assert.match(requests['consent:b']?.params.message ?? '', /^Run ask as the node b of the run \w+\?/);
    assert.equal(stray.error, undefined);
    assert.equal(still.status, 'input_required');
    assert.equal(acknowledged.resultType, 'complete');
    assert.deepEqual((done.result as Json).structuredContent, { b: { text: 'hi!!' } });
    assert.equal(again.error, undefined);
  });

  for (const action of ['decline', 'cancel'])
    test(`R1.22 a node does not run when the person chooses ${action}`, async () => {
      const given = await workshop();
      const speak = speaker(given, ADMIN_KEY, withPerson);

      const { taskId } = await callWithConsent(speak, 'ask_plan');
      await poll(speak, taskId, 'working');
      await speak('tasks/update', { taskId, inputResponses: { 'consent:b': { action } } });
      const done = await poll(speak, taskId, 'working', 'input_required');

      assert.equal((done.result as Json).isError, true);
      assert.deepEqual(await executionsOf(given, 'ask'), []);
    });

  test('R1.22 a key that may not approve cannot consent for the person, and is told who can', async () => {
    const given = await workshop();
    const { taskId } = await callWithConsent(speaker(given, ADMIN_KEY, withPerson), 'ask_plan');
    const agent = speaker(given, await given.key({ scopes: ['read', 'invoke'] }), withPerson);

    const asking = await poll(agent, taskId, 'working');
    const inputResponses = { 'consent:b': { action: 'accept', content: {} } };
    const { error } = await agent('tasks/update', { taskId, inputResponses });

    assert.match(JSON.stringify(asking.inputRequests), /This key may not consent: .*\/nodes\/b\/confirm/);
    assert.equal(error?.code, -32_600);
    assert.match(error?.message ?? '', /needs approve/);
    assert.equal((await poll(agent, taskId, 'working')).status, 'input_required');
    await given.json('DELETE', `/v1/runs/${taskId}`);
  });

  test('a client that cannot ask a person is told what the task waits for', async () => {
    const given = await workshop();
    const { taskId } = await callWithConsent(speaker(given, ADMIN_KEY, withPerson), 'ask_plan');
    await poll(speaker(given, ADMIN_KEY, withPerson), taskId, 'working');

    const { result } = await speaker(given)('tasks/get', { taskId });
    await given.json('POST', `/v1/runs/${taskId}/nodes/b/confirm`, { approve: true });

    assert.equal(result.status, 'working');
    assert.match(String(result.statusMessage), /1 of 2 nodes done; waiting for a person’s consent to b \(ask\)/);
    assert.equal((await poll(speaker(given), taskId, 'working')).status, 'completed');
  });

  test('tasks/cancel cancels the run, which costs nothing', async () => {
    const given = await workshop();
    const speak = speaker(given);
    const { taskId } = await call(speak, 'hold_plan');

    const { result } = await speak('tasks/cancel', { taskId });
    const ended = await poll(speak, taskId, 'working');

    assert.equal(result.resultType, 'complete');
    assert.equal(ended.status, 'cancelled');
    assert.equal('result' in ended, false);
    const { status, charged_micros } = await recorded(given, 'hold_plan');
    assert.deepEqual([status, charged_micros], ['failed', 0]);
  });
});

describe('a task is guarded and charged as the call that it stands for', () => {
  test('a quota is taken when the task is made, and given back when it fails', async () => {
    const given = await workshop();
    const key = await given.key({ scopes: ['read', 'invoke'], quota: { calls: 1 } });
    const speak = speaker(given, key);

    const failed = await poll(speak, (await call(speak, 'fail_plan')).taskId, 'working');
    const { taskId } = await call(speak, 'hold_plan');
    const refused = await call(speak, 'shout_plan');
    given.release();
    const done = await poll(speak, taskId, 'working');
    const stillRefused = await call(speak, 'shout_plan');

    assert.equal(failed.status, 'completed');
    assert.match(textOf(refused), /^PaymentRequired: 1 of 1 calls/);
    assert.equal(((done.result as Json)._meta as Json)['assay/charged_micros'], 2 * PRICE);
    assert.match(textOf(stillRefused), /^PaymentRequired: /);
  });

  test('it is recorded and charged once, whoever sees the end, and as much as a call that waits', async () => {
    const given = await workshop();
    const [asTask, waiting] = await Promise.all([1, 2].map(() => given.key({ scopes: ['read', 'invoke'] })));
    const speak = speaker(given, asTask);

    const { taskId } = await call(speak, 'shout_plan');
    await Promise.all([1, 2, 3, 4].map(() => poll(speak, taskId, 'working')));
    await given.json('GET', `/v1/runs/${taskId}`);
    await call(speaker(given, waiting, {}), 'shout_plan');

    const rows = await executionsOf(given, 'shout_plan');
    assert.deepEqual(rows.map(({ key }) => key).sort(), [asTask, waiting].map((key) => key?.split('_')[1]).sort());
    const same = rows.map(({ status, charged_micros, output, arguments: args, version }) =>
      JSON.stringify([status, charged_micros, output, args, version]),
    );
    assert.equal(same[0], same[1]);
    assert.match(same[0] ?? '', /^\["ok",14,/);
  });

  test('it is settled without anybody asking for it', async () => {
    const given = await workshop();

    await call(speaker(given), 'shout_plan');

    const { status, charged_micros } = await recorded(given, 'shout_plan');
    assert.deepEqual([status, charged_micros], ['ok', 2 * PRICE]);
  });

  test('a run on a state machine is settled once, by whoever looks at it through any face', async () => {
    const watched: LocalRuns[] = [];
    const given = await workshop((runs) => {
      watched.push(runs);
      return elsewhere(runs);
    });
    const key = await given.key({ scopes: ['read', 'invoke'], quota: { calls: 5 } });
    const tasks = [await call(speaker(given, key), 'hold_plan'), await call(speaker(given, key), 'fail_plan')];
    given.release();
    for (const { taskId } of tasks) await watched[0]?.ended('default', String(taskId));
    const unseen = await executionsOf(given, 'hold_plan');

    const look = (id: unknown) => given.assay.runs?.view('default', String(id));
    await Promise.all(
      tasks.flatMap(({ taskId }) => [
        look(taskId),
        look(taskId),
        given.json('GET', `/v1/runs/${taskId}`),
        given.json('DELETE', `/v1/runs/${taskId}`),
        poll(speaker(given), taskId),
        poll(speaker(given), taskId),
      ]),
    );
    await given.assay.recorder.flush();

    assert.deepEqual(unseen, []);
    const id = key.split('_')[1] ?? '';
    const { body } = await given.json<{ month: string; keys: Json[] }>('GET', '/v1/usage');
    const used = body.keys.find(({ key_id }) => key_id === id);
    assert.deepEqual([used?.calls, used?.micros], [1, 2 * PRICE]);
    const counter = await given.assay.table.get(quotaKey(id, body.month));
    assert.deepEqual(counter?.body, { calls: 1, micros: 2 * PRICE });
  });

  test('a run that has ended when it is started is an ordinary answer', async () => {
    const given = await workshop((runs) => ({
      ...elsewhere(runs),
      start: async (request) => runs.ended(request.tenant, (await runs.start(request)).run_id),
    }));

    const ok = await call(speaker(given), 'shout_plan');
    const failed = await call(speaker(given), 'fail_plan');

    assert.deepEqual(ok.structuredContent, { b: { text: 'hi!!' } });
    assert.match(textOf(failed), /the kiln is cold/);
    const rows = [...(await executionsOf(given, 'shout_plan')), ...(await executionsOf(given, 'fail_plan'))];
    assert.deepEqual(
      rows.map(({ status, charged_micros }) => [status, charged_micros]),
      [
        ['ok', 2 * PRICE],
        ['failed', 0],
      ],
    );
  });

  for (const [where, adapt] of [
    ['here', (runs: LocalRuns) => runs],
    ['elsewhere', elsewhere],
  ] as const)
    test(`the time of a tool is that of its task, when it runs ${where}`, async () => {
      const given = await workshop(adapt);
      const { body } = await given.json<{ spec: Json }>('GET', '/v1/tools/hold_plan');
      await given.json('POST', '/v1/tools', { ...body.spec, version: '2.0.0', timeout_seconds: 0.05 });
      const speak = speaker(given);

      const ended = await poll(speak, (await call(speak, 'hold_plan')).taskId, 'working');

      assert.equal(ended.status, 'cancelled');
      const { status, charged_micros, error } = await recorded(given, 'hold_plan');
      assert.deepEqual([status, charged_micros], ['failed', 0]);
      assert.deepEqual(error, { type: 'Timeout', message: 'hold_plan did not answer within 0.05 s' });
    });

  test('R1.22 a plan that needs consent makes no task before it is given', async () => {
    const given = await workshop();
    const agent = speaker(given, await given.key({ scopes: ['read', 'invoke'] }), withPerson);

    const asked = await call(agent, 'ask_plan');
    const accepted = await callWithConsent(agent, 'ask_plan');
    const unable = await call(speaker(given), 'ask_plan');

    assert.equal(asked.resultType, 'input_required');
    assert.match(textOf(accepted), /^ConfirmationRequired: /);
    assert.match(textOf(unable), /^ConfirmationRequired: /);
    assert.ok((await executionsOf(given, 'ask_plan')).every(({ status }) => status === 'refused'));
  });

  test('bad arguments are refused as ever', async () => {
    const refused = await call(speaker(await workshop()), 'shout_plan', { arguments: { text: 5 } });

    assert.match(textOf(refused), /^InvalidInput: arguments of shout_plan/);
  });

  test('another tenant does not see a task, nor one that does not exist', async () => {
    const given = await workshop();
    const { taskId } = await call(speaker(given), 'hold_plan');
    const stranger = speaker(given, await given.key({ scopes: ['read', 'invoke', 'approve'], tenant: 'acme' }));

    for (const [method, id] of ['tasks/get', 'tasks/update', 'tasks/cancel'].flatMap((each) =>
      [taskId, 'nothing'].map((known) => [each, known] as const),
    )) {
      const { error } = await stranger(method, { taskId: id, inputResponses: {} });
      assert.equal(error?.code, -32_602);
      assert.equal(error.message, `there is no task ${JSON.stringify(id)}`);
    }
    assert.equal((await poll(speaker(given), taskId, 'completed')).status, 'working');
    given.release();
  });

  test('each method needs the scope of its HTTP call', async () => {
    const given = await workshop();
    const { taskId } = await call(speaker(given), 'hold_plan');
    const [reader, invoker, approver] = await Promise.all(
      (['read', 'invoke', 'approve'] as const).map(async (scope) =>
        speaker(given, await given.key({ scopes: [scope] })),
      ),
    );

    const codes = async (method: string): Promise<readonly unknown[]> =>
      Promise.all(
        [reader, invoker, approver].map(
          async (speak) => (await speak?.(method, { taskId, inputResponses: {} }))?.error?.code,
        ),
      );

    assert.deepEqual(await codes('tasks/get'), [undefined, -32_600, -32_600]);
    assert.deepEqual(await codes('tasks/update'), [-32_600, -32_600, undefined]);
    assert.deepEqual(await codes('tasks/cancel'), [-32_600, undefined, -32_600]);
  });
});

describe('who gets no task', () => {
  test('a client without the extension waits for the result, and is told what it lacks', async () => {
    const given = await workshop();
    const speak = speaker(given, ADMIN_KEY, {});

    const result = await call(speak, 'shout_plan');
    const { error } = await speak('tasks/get', { taskId: 'x' });

    assert.equal(result.resultType, 'complete');
    assert.deepEqual(result.structuredContent, { b: { text: 'hi!!' } });
    assert.equal(error?.code, -32_021);
    assert.deepEqual(error.data, { requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
  });

  test('a client of an earlier protocol waits for the result', async () => {
    const given = await workshop();
    const client = await connectClient(given.app, ADMIN_KEY, { era: 'legacy', capabilities: withTasks });

    const result = await client.callTool({ name: 'shout_plan', arguments: { text: 'hi' } });

    assert.deepEqual(result.structuredContent, { b: { text: 'hi!!' } });
    assert.equal(client.getServerCapabilities()?.extensions, undefined);
  });

  test('a tool that is no plan, and a key that could not read the task, get the result', async () => {
    const given = await workshop();
    const invoker = speaker(given, await given.key({ scopes: ['invoke'] }));

    const plain = await call(speaker(given), 'shout');
    const unread = await call(invoker, 'shout_plan');

    assert.deepEqual(plain.structuredContent, { text: 'hi!' });
    assert.deepEqual(unread.structuredContent, { b: { text: 'hi!!' } });
  });
});
