import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { quotaKey } from '../../shared/kernel/quota-keys.ts';
import type { LocalRuns } from '../../shared/plan/local-run-deps.ts';
import { textOf } from '../support/mcp.ts';
import {
  call,
  callWithConsent,
  elsewhere,
  executionsOf,
  type Json,
  PRICE,
  poll,
  recorded,
  speaker,
  withPerson,
  workshop,
} from '../support/mcp-tasks.ts';

describe('an MCP task is limited and charged like the call it runs', () => {
  test('a task reserves quota when it is created and returns it when it fails', async () => {
    const given = await workshop();
    const key = await given.key({ scopes: ['read', 'invoke'], quota: { calls: 1 } });
    const speak = speaker(given, key);

    const failed = await poll(speak, (await call(speak, 'fail_plan')).taskId, 'working');
    // The end of a run is seen a moment before its reservation is given back.
    let held = await call(speak, 'hold_plan');
    for (let tries = 0; held.taskId === undefined && tries < 50; tries++) {
      await wait(20);
      held = await call(speak, 'hold_plan');
    }
    const { taskId } = held;
    const refused = await call(speak, 'shout_plan');
    given.release();
    const done = await poll(speak, taskId, 'working');
    const stillRefused = await call(speak, 'shout_plan');

    assert.equal(failed.status, 'completed');
    assert.match(textOf(refused), /^PaymentRequired: 1 of 1 calls/);
    assert.equal(((done.result as Json)._meta as Json)['assay/charged_micros'], 2 * PRICE);
    assert.match(textOf(stillRefused), /^PaymentRequired: /);
  });

  test('a task is recorded and charged once, whoever sees it end, and costs as much as a call that waits', async () => {
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

  test('a task is settled without a client polling it', async () => {
    const given = await workshop();

    await call(speaker(given), 'shout_plan');

    const { status, charged_micros } = await recorded(given, 'shout_plan');
    assert.deepEqual([status, charged_micros], ['ok', 2 * PRICE]);
  });

  test('a run is settled once, by its engine or by any interface that looks at it', async () => {
    const watched: LocalRuns[] = [];
    const given = await workshop((runs) => {
      watched.push(runs);
      return elsewhere(runs);
    });
    const key = await given.key({ scopes: ['read', 'invoke'], quota: { calls: 5 } });
    const tasks = [await call(speaker(given, key), 'hold_plan'), await call(speaker(given, key), 'fail_plan')];
    given.release();
    for (const { taskId } of tasks) await watched[0]?.ended('default', String(taskId));

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

    const id = key.split('_')[1] ?? '';
    const { body } = await given.json<{ month: string; keys: Json[] }>('GET', '/v1/usage');
    const used = body.keys.find(({ key_id }) => key_id === id);
    assert.deepEqual([used?.calls, used?.micros], [1, 2 * PRICE]);
    const counter = await given.assay.table.get(quotaKey(id, body.month));
    assert.deepEqual(counter?.body, { calls: 1, micros: 2 * PRICE });
  });

  test('a run that ends while it is started is answered as an ordinary result', async () => {
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
    test(`the duration of a tool is that of its task, when it runs ${where}`, async () => {
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

  test('R1.22 a plan task that needs consent does not run before it is given', async () => {
    const given = await workshop();
    const agent = speaker(given, await given.key({ scopes: ['read', 'invoke'] }), withPerson);

    const asked = await call(agent, 'ask_plan');
    const accepted = await callWithConsent(agent, 'ask_plan');
    const unable = await call(speaker(given), 'ask_plan');

    assert.equal(asked.resultType, 'input_required');
    assert.match(textOf(accepted), /^ConfirmationRequired: /);
    assert.deepEqual([unable.resultType, unable.status], ['task', 'working']);
    assert.ok((await executionsOf(given, 'ask_plan')).every(({ status }) => status === 'refused'));
  });

  test('a task with invalid arguments is refused like a call', async () => {
    const refused = await call(speaker(await workshop()), 'shout_plan', { arguments: { text: 5 } });

    assert.match(textOf(refused), /^InvalidInput: arguments of shout_plan/);
  });

  test('another tenant’s task is answered like an unknown one', async () => {
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

  test('each task method needs the scope of its HTTP route', async () => {
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
