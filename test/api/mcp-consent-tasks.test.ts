import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { WaitingCallItem } from '../../shared/execute/waiting-call.ts';
import { waitingCallKey } from '../../shared/kernel/item-keys.ts';
import { put, read } from '../../shared/kernel/stored.ts';
import type { TestAssay } from '../support/assay.ts';
import { textOf } from '../support/mcp.ts';
import { call, executionsOf, type Json, PRICE, poll, speaker, withPerson, workshop } from '../support/mcp-tasks.ts';

type Speak = ReturnType<typeof speaker>;

describe('X.20 a call that needs consent waits as a task where the client cannot ask', () => {
  let given: TestAssay;
  let key: string;
  let speak: Speak;
  before(async () => {
    given = await workshop();
    key = await given.key({ scopes: ['read', 'invoke'] });
    speak = speaker(given, key);
  });
  const ask = (text: string) => call(speak, 'ask', { arguments: { text } });
  const idOf = ({ taskId }: Json): string => String(taskId).replace('consent_', '');
  const decide = (task: Json, approve: boolean) => given.json('POST', '/v1/confirmations', { id: idOf(task), approve });
  const ran = async () => (await executionsOf(given, 'ask')).filter(({ status }) => status === 'ok').length;

  test('a task waiting for consent runs once after approval, and its result is kept', async () => {
    const task = await ask('one');
    assert.deepEqual([task.resultType, task.status], ['task', 'working']);
    assert.match(String(task.statusMessage), new RegExp(`confirmation ${idOf(task)} approved until`));
    assert.equal((await ask('one')).taskId, task.taskId, 'the same question is the same task');
    assert.equal((await speak('tasks/get', { taskId: task.taskId })).result.status, 'working');
    const before = await ran();

    await decide(task, true);
    const polls = await Promise.all([1, 2, 3].map(() => speak('tasks/get', { taskId: task.taskId })));
    const done = await poll(speak, task.taskId, 'working');

    assert.ok(polls.every(({ error }) => error === undefined));
    assert.deepEqual((done.result as Json).structuredContent, { text: 'one!' });
    assert.equal((await ran()) - before, 1);
    assert.equal(((done.result as Json)._meta as Json)['assay/charged_micros'], PRICE);
    assert.equal((await ask('one')).resultType, 'task', 'the next identical call asks again');
  });

  test('denied, withdrawn and expired confirmations end their task without running it', async () => {
    const before = await ran();
    const refused = await ask('two');
    await decide(refused, false);
    const told = await poll(speak, refused.taskId, 'working');
    const withdrawn = await ask('three');
    await speak('tasks/cancel', { taskId: withdrawn.taskId });
    const late = await decide(withdrawn, true);

    assert.match(textOf(told.result as Json), /was refused by/);
    assert.equal((await speak('tasks/get', { taskId: withdrawn.taskId })).result.status, 'cancelled');
    assert.equal(late.status, 409);
    assert.equal(await ran(), before);
  });

  test('nobody else sees a waiting task, not even with an approving key of the tenant', async () => {
    const task = await ask('four');
    const other = speaker(given, await given.key({ scopes: ['read', 'invoke', 'approve'] }));
    assert.match((await other('tasks/get', { taskId: task.taskId })).error?.message ?? '', /there is no task/);
    await decide(task, true);
    assert.match((await other('tasks/get', { taskId: task.taskId })).error?.message ?? '', /there is no task/);
    assert.equal((await poll(speak, task.taskId, 'working')).status, 'completed');
  });

  test('an approval already used by the same call does not run the task again', async () => {
    const task = await ask('five');
    await decide(task, true);
    const direct = await given.json<{ status: string }>(
      'POST',
      '/v1/tools/ask/invoke',
      { arguments: { text: 'five' } },
      key,
    );
    const before = await ran();
    const done = await poll(speak, task.taskId, 'working');
    assert.equal(direct.body.status, 'ok');
    assert.match(textOf(done.result as Json), /was used already/);
    assert.equal(await ran(), before);
  });

  test('a task whose process died after spending the approval is interrupted, and the approval is not restored', async () => {
    const task = await ask('six');
    await decide(task, true);
    const itemKey = waitingCallKey('default', idOf(task));
    await given.assay.table.change([itemKey], ([item]) => {
      assert.ok(item);
      const lease = { owner: 'a process that died', epoch: 1, until: Date.now() - 1 };
      const left = { ...read(item, WaitingCallItem), lease };
      return { writes: [put(itemKey, WaitingCallItem, left, item.expires)], result: undefined };
    });
    const before = await ran();
    const done = await poll(speak, task.taskId, 'working');
    assert.match(textOf(done.result as Json), /^Interrupted: /);
    assert.equal(await ran(), before);
  });

  test('a client with elicitation is asked directly, and one without tasks is refused with the confirmation id', async () => {
    const asked = await call(speaker(given, key, withPerson), 'ask', { arguments: { text: 'seven' } });
    const refused = await call(speaker(given, key, {}), 'ask', { arguments: { text: 'seven' } });
    assert.equal(asked.resultType, 'input_required');
    assert.match(textOf(refused), /have the confirmation \w+ approved/);
  });
});
