import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADMIN_KEY } from '../support/assay.ts';
import { connectClient, textOf } from '../support/mcp.ts';
import {
  call,
  callWithConsent,
  EXTENSION,
  executionsOf,
  type Json,
  poll,
  recorded,
  speaker,
  withPerson,
  withTasks,
  workshop,
} from '../support/mcp-tasks.ts';

describe('runs as MCP tasks', () => {
  test('server/discover announces the extension', async () => {
    const { result } = await speaker(await workshop())('server/discover', {});

    assert.deepEqual((result.capabilities as Json).extensions, { [EXTENSION]: {} });
  });

  test('a plan called over MCP returns a task at once, whose result is that of a call that waits', async () => {
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
    assert.equal((done.result as Json).resultType, 'complete');
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

  test('a plan that fails is a task whose result is the error, as the extension specifies', async () => {
    const given = await workshop();
    const speak = speaker(given);

    const done = await poll(speak, (await call(speak, 'fail_plan')).taskId, 'working');

    assert.equal(done.status, 'completed');
    const result = done.result as Json;
    assert.equal(result.isError, true);
    assert.match(textOf(result), /the kiln is cold/);
    assert.match(String(done.statusMessage), /the kiln is cold/);
  });

  test('R1.22 a node that waits for consent asks through the task, and continues when consent is given', async () => {
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

  test('R1.22 a key that may not approve cannot consent for the person, and is told which scope can', async () => {
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

  test('a client without elicitation is told what the task waits for', async () => {
    const given = await workshop();
    const { taskId } = await callWithConsent(speaker(given, ADMIN_KEY, withPerson), 'ask_plan');
    await poll(speaker(given, ADMIN_KEY, withPerson), taskId, 'working');

    const { result } = await speaker(given)('tasks/get', { taskId });
    await given.json('POST', `/v1/runs/${taskId}/nodes/b/confirm`, { approve: true });

    assert.equal(result.status, 'working');
    assert.match(String(result.statusMessage), /1 of 2 nodes done; waiting for a person’s consent to b \(ask\)/);
    assert.equal((await poll(speaker(given), taskId, 'working')).status, 'completed');
  });

  test('a task request may omit the header with the task’s name, but a different one is refused', async () => {
    const given = await workshop();
    const { taskId } = await call(speaker(given), 'shout_plan');
    const unnamed = speaker(given, ADMIN_KEY, withTasks, () => undefined);
    const misnamed = speaker(given, ADMIN_KEY, withTasks, () => 'another');

    const done = await poll(unnamed, taskId, 'working');
    const { error } = await misnamed('tasks/get', { taskId });
    const { error: unknown } = await unnamed('tasks/get', { taskId: 'no\nheader' });

    assert.deepEqual((done.result as Json).structuredContent, { b: { text: 'hi!!' } });
    assert.match(error?.message ?? '', /headers and body disagree/);
    assert.match(unknown?.message ?? '', /Mcp-Name header is absent/);
  });

  test('tasks/cancel cancels the run, which is not charged', async () => {
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

describe('calls that get no task', () => {
  test('a client without the tasks extension waits for the result, and is told about the extension', async () => {
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

  test('a tool that is not a plan, and a key that could not read the task, get the result directly', async () => {
    const given = await workshop();
    const invoker = speaker(given, await given.key({ scopes: ['invoke'] }));

    const plain = await call(speaker(given), 'shout');
    const unread = await call(invoker, 'shout_plan');

    assert.deepEqual(plain.structuredContent, { text: 'hi!' });
    assert.deepEqual(unread.structuredContent, { b: { text: 'hi!!' } });
  });
});
