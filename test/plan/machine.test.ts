import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { handleStep } from '../../functions/step/handle.ts';
import { type JsonCall, jsonService } from '../../shared/adapters/aws/json-service.ts';
import { sfnMachines } from '../../shared/adapters/aws/machine.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { MACHINES_PK, runKey } from '../../shared/kernel/item-keys.ts';
import type { RunView } from '../../shared/model/run.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import { cachePlans } from '../../shared/plan/cache-plans.ts';
import { createMachineRuns } from '../../shared/plan/machine-runs.ts';
import type { NodeCall, NodeOutcome, TokenAnswer } from '../../shared/plan/run-deps.ts';
import { savePlan } from '../../shared/plan/run-store.ts';
import type { Runs } from '../../shared/plan/runs.ts';
import { anyTool } from '../bench/random-plans.ts';
import { SfnStub } from '../support/sfn-stub.ts';
import { compileForRuns } from './run-plan.ts';

const DAY = 86_400_000;
const ok = (output: unknown): NodeOutcome => ({ status: 'ok', output });
const node = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({ id, tool: 'tool', ...more });
const from = (text: string) => ({ $from: text });

describe('plans on Step Functions', () => {
  let execute: (call: NodeCall) => Promise<NodeOutcome>;
  let now: number;
  let ids = 0;
  let stub: SfnStub;
  let call: JsonCall;
  let world: ReturnType<typeof aWorld>;

  before(async () => {
    stub = new SfnStub((payload) => handleStep(world.step, payload));
    const endpoint = await stub.listen();
    call = jsonService({
      service: 'machines',
      endpoint,
      region: 'eu-west-1',
      credentials: () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
    });
  });
  after(async () => {
    await stub.close();
  });
  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    execute = async ({ node: { id }, arguments: given }) => ok({ id, given });
    stub.reset();
    world = aWorld();
  });

  function aWorld() {
    const clock = { now: () => now, newId: () => `run-${++ids}` };
    const [table, blobs] = [memoryTable({ now: () => now }), memoryBlobs()];
    const pauses: number[] = [];
    const pause = async (ms: number) => void pauses.push(ms);
    const machines = sfnMachines({
      prefix: 'assay-',
      call,
      table,
      clock,
      roleArn: 'arn:aws:iam::1:role/machine',
      logGroupArn: 'arn:aws:logs:eu-west-1:1:log-group:x',
      pause,
    });
    const runs: Runs = createMachineRuns({ table, blobs, clock, machines, step: 'assay-step' });
    const stepDeps = {
      table,
      blobs,
      clock,
      plan: cachePlans({ table, blobs }),
      execute: (call: NodeCall) => execute(call),
      answer: (token: string, answer: TokenAnswer) => machines.answer(token, answer),
    };
    const look = (tenant: string, id: string) => runs.view(tenant, id);
    const step = { runs: stepDeps, machines, look, refreshSources: async () => 0 };
    return { clock, table, blobs, machines, runs, step, pauses };
  }

  const start = async (...nodes: readonly Readonly<Record<string, unknown>>[]): Promise<RunView> => {
    const { plan } = buildPlan({ nodes }, anyTool);
    await savePlan(world, 'default', compileForRuns(plan));
    return world.runs.start({ tenant: 'default', plan_id: plan.plan_id, input: { x: 1 } });
  };
  const statuses = (view: RunView) => Object.fromEntries(view.nodes.map(({ id, status }) => [id, status]));
  const until = async (id: string, is: (view: RunView) => boolean): Promise<RunView> => {
    for (let round = 0; round < 400; round++) {
      const view = await world.runs.view('default', id);
      if (view !== undefined && is(view)) return view;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('the run never stood so');
  };

  test('a short plan runs on Express to its end, with outputs passed to inputs', async () => {
    const view = await start(
      node('a'),
      node('b', { arguments: { x: from('a.id') } }),
      node('c', { arguments: { x: from('a.id'), y: from('b.given.x') } }),
    );

    assert.equal(view.status, 'ok');
    assert.equal(view.engine, 'EXPRESS');
    assert.deepEqual(view.output, { c: { id: 'c', given: { x: 'a', y: 'a' } } });
    assert.deepEqual(stub.calls, ['CreateStateMachine', 'StartSyncExecution']);
  });

  test('a failed run reports the error of its node, not Lambda’s envelope', async () => {
    execute = async () => {
      throw new Fault('Forbidden', 'not granted');
    };
    const view = await start(node('a'), node('b', { after: ['a'] }));

    assert.deepEqual(view.error, { type: 'Forbidden', message: 'not granted' });
    assert.deepEqual(statuses(view), { a: 'failed', b: 'pending' });
  });

  test('a plan that needs consent runs on Standard, waits and continues', async () => {
    const started = await start(node('a'), node('send', { tool: 'ask_send', after: ['a'] }));
    const waiting = await until(started.run_id, (view) => statuses(view).send === 'waiting_approval');
    await world.runs.confirm('default', started.run_id, 'send', { approve: true, approver: 'key-3' });
    const view = await until(started.run_id, ({ status }) => status !== 'running');

    assert.equal(waiting.engine, 'STANDARD');
    assert.equal(view.status, 'ok');
    assert.equal(view.nodes[1]?.approval?.approver, 'key-3');
  });

  test('a denial fails the run, and an answer after its end is refused', async () => {
    const { run_id: id } = await start(node('send', { tool: 'ask_send' }));
    await until(id, (view) => statuses(view).send === 'waiting_approval');
    await world.runs.confirm('default', id, 'send', { approve: false, approver: 'key-3' });
    const view = await until(id, ({ status }) => status !== 'running');

    assert.deepEqual(view.error, { type: 'ApprovalDenied', message: 'denied by key-3' });
    await assert.rejects(world.runs.confirm('default', id, 'send', { approve: true, approver: 'key-3' }), {
      name: 'Conflict',
    });
  });

  test('cancelling a run stops its Standard execution', async () => {
    const { run_id: id } = await start(node('send', { tool: 'ask_send' }), node('z', { after: ['send'] }));
    await until(id, (view) => statuses(view).send === 'waiting_approval');
    const view = await world.runs.cancel('default', id);

    assert.equal(view.status, 'cancelled');
    assert.deepEqual(statuses(view), { send: 'aborted', z: 'pending' });
    assert.ok(stub.calls.includes('StopExecution'));
  });

  test('a cancelled Express execution stops at its next step', async () => {
    execute = async ({ node: { id }, runId }) => {
      if (id === 'a') await world.runs.cancel('default', runId);
      return ok(id);
    };
    const view = await start(node('a'), node('b', { after: ['a'], on_failure: { policy: 'skip' } }));

    assert.equal(view.status, 'cancelled');
    assert.deepEqual(statuses(view), { a: 'ok', b: 'pending' });
  });

  test('plans of one shape share a state machine, whatever their names', async () => {
    await start(node('a'), node('b', { arguments: { x: from('a') } }));
    await start(
      node('one', { tool: 'other', arguments: { y: 2 } }),
      node('two', { arguments: { z: [from('one.id')] } }),
    );

    assert.equal(stub.machines.size, 1);
    assert.equal(stub.calls.filter((call) => call === 'CreateStateMachine').length, 1);
  });

  test('a state machine that is missing, being deleted or throttled only delays the run', async () => {
    stub.lateBy = 2;
    assert.equal((await start(node('a'))).status, 'ok');
    assert.equal(world.pauses.length, 2);
    stub.lateBy = 0;

    const [machine] = stub.machines.values();
    stub.machines.clear();
    stub.deleting.set(machine?.name ?? '', 3);
    assert.equal((await start(node('a'))).status, 'ok');

    stub.throttled = 2;
    assert.equal((await start(node('a'))).status, 'ok');
  });

  test('a run whose state machine never becomes available fails', async () => {
    stub.lateBy = 1000;
    await assert.rejects(start(node('a')), { name: 'Unavailable', message: /not ready yet/ });
    stub.lateBy = 0;

    const failed = await world.runs.view('default', `run-${ids}`);
    assert.equal(failed?.status, 'failed');
    assert.match(failed?.error?.message ?? '', /could not be started/);
  });

  test('state machines unused for thirty days are deleted, and recreated when needed', async () => {
    await start(node('a'));
    const { run_id: waiting } = await start(node('send', { tool: 'ask_send' }));
    await until(waiting, (view) => statuses(view).send === 'waiting_approval');

    now += 29 * DAY;
    assert.deepEqual(await world.machines.removeUnused(30 * DAY), []);
    now += 2 * DAY;
    const { removed } = (await handleStep(world.step, { clean_up: true })) as { removed: string[] };

    assert.equal(removed.length, 1);
    assert.equal(stub.machines.size, 1, 'the machine with an open run stays');
    assert.equal((await world.table.query(MACHINES_PK)).items.length, 1);
    assert.equal((await start(node('a'))).status, 'ok');
    await world.runs.cancel('default', waiting);
  });

  test('the end of an execution is recorded without polling; ends of other state machines are ignored', async () => {
    const { run_id: waiting } = await start(node('send', { tool: 'ask_send' }));
    await until(waiting, (view) => statuses(view).send === 'waiting_approval');
    const told = (detail: object) =>
      handleStep(world.step, { source: 'aws.states', 'detail-type': 'Step Functions Execution Status Change', detail });
    const stored = async () => (await world.table.get(runKey('default', waiting)))?.body.status;
    for (const { controller } of stub.executions.values()) controller.abort();

    await told({ status: 'SUCCEEDED', input: '{"event": {}}' });
    await told({ status: 'SUCCEEDED', input: null });
    assert.equal(await stored(), 'running');
    await told({ status: 'ABORTED', input: JSON.stringify({ tenant: 'default', run: waiting }) });
    assert.notEqual(await stored(), 'running');
  });

  /** A run as its process left it that died between storing it and storing its execution. */
  const abandoned = async (): Promise<string> => {
    const { run_id: id } = await start(node('send', { tool: 'ask_send' }));
    await until(id, (view) => statuses(view).send === 'waiting_approval');
    const { execution: _, ...body } = (await world.table.get(runKey('default', id)))?.body ?? {};
    await world.table.write([{ put: runKey('default', id), body }]);
    stub.calls.length = 0;
    return id;
  };

  test('a run whose start was cut off is started by whoever views it later, and runs once', async () => {
    const id = await abandoned();
    await world.runs.view('default', id);
    assert.deepEqual(stub.calls, [], 'its process may still be starting it');

    now += 121_000;
    assert.equal((await world.runs.view('default', id))?.status, 'running');
    await world.runs.confirm('default', id, 'send', { approve: true, approver: 'key-3' });

    assert.equal((await until(id, ({ status }) => status !== 'running')).status, 'ok');
    assert.equal(stub.executions.size, 1);
  });

  test('a run whose start was cut off, but whose execution has ended since, shows its end', async () => {
    const id = await abandoned();
    await world.runs.confirm('default', id, 'send', { approve: true, approver: 'key-3' });
    await Promise.all([...stub.executions.values()].map(({ done }) => done));

    now += 121_000;

    assert.equal((await until(id, ({ status }) => status !== 'running')).status, 'ok');
    assert.equal(stub.executions.size, 1);
  });

  test('a run that nobody can start stays open for an hour and then fails with the reason', async () => {
    const id = await abandoned();
    stub.reset();
    stub.lateBy = 1000;
    now += 121_000;
    assert.equal((await world.runs.view('default', id))?.status, 'running');
    now += 3_600_000;

    const view = await world.runs.view('default', id);

    assert.equal(view?.status, 'failed');
    assert.match(view?.error?.message ?? '', /could not be started: .* not ready yet.*; start the plan again/);
  });

  test('a cut-off start is not repeated on another machine, where its run would start a second time', async () => {
    const id = await abandoned();
    const { body = {} } = (await world.table.get(runKey('default', id))) ?? {};
    await world.table.write([{ put: runKey('default', id), body: { ...body, machine: 'of-an-earlier-release' } }]);

    await world.runs.start({ tenant: 'default', plan_id: String(body.plan_id), input: { x: 1 }, run_id: id });

    assert.deepEqual(stub.calls, []);
  });

  test('a run that was cancelled before it was started ends as cancelled', async () => {
    const id = await abandoned();
    await world.runs.cancel('default', id);
    now += 121_000;

    assert.equal((await world.runs.view('default', id))?.status, 'cancelled');
    assert.deepEqual(stub.calls, []);
  });

  test('an Express execution that is never heard of again counts as failed', async () => {
    execute = () => new Promise(() => {});
    void start(node('a', { timeout_seconds: 900 })).catch(() => {});
    const id = `run-${ids + 1}`;
    await until(id, (view) => statuses(view).a === 'running');
    now += 331_000;
    const view = await world.runs.view('default', id);

    assert.equal(view?.status, 'failed');
    assert.equal(view?.error?.message, 'the execution was lost');
  });
});
