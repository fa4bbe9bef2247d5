import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { ACTIVE_RUNS_PK, planKey } from '../../shared/kernel/item-keys.ts';
import { LEASE_MS } from '../../shared/kernel/lease.ts';
import type { NodeView, RunView } from '../../shared/model/run.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import type { LocalRunDeps, LocalRuns } from '../../shared/plan/local-run-deps.ts';
import { createLocalRuns } from '../../shared/plan/local-runs.ts';
import type { NodeCall, NodeOutcome } from '../../shared/plan/run-deps.ts';
import { savePlan } from '../../shared/plan/run-store.ts';
import { anyTool } from '../bench/random-plans.ts';
import { compileForRuns, runPlan } from './run-plan.ts';
import { aWorld, type World } from './run-support.ts';
import type { VirtualTime } from './virtual-time.ts';

type Execute = (call: NodeCall, time: VirtualTime) => Promise<NodeOutcome>;

const node = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({ id, tool: 'tool', ...more });
const from = (text: string) => ({ $from: text });
const ok = (output: unknown): NodeOutcome => ({ status: 'ok', output });
const failed = (message = 'broken'): NodeOutcome => ({
  status: 'failed',
  error: { type: 'ToolExecutionError', message },
});
const planOf = (...nodes: readonly Readonly<Record<string, unknown>>[]) => buildPlan({ nodes }, anyTool).plan;
const nodeOf = (view: RunView, id: string): NodeView => {
  const found = view.nodes.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
};
const statuses = (view: RunView) => Object.fromEntries(view.nodes.map(({ id, status }) => [id, status]));

const run = (execute: Execute, ...nodes: readonly Readonly<Record<string, unknown>>[]) =>
  runPlan(aWorld(execute), planOf(...nodes));

/** A world in which no time limit passes while a test looks on. */
const aHeldWorld = (execute: Execute): World => {
  const world = aWorld(execute);
  world.time.hold();
  return world;
};

/** Starts a run without waiting for its end. */
async function begin(
  world: World,
  nodes: readonly Readonly<Record<string, unknown>>[],
  deps: Partial<LocalRunDeps> = {},
): Promise<{ runs: LocalRuns; id: string }> {
  const plan = planOf(...nodes);
  await savePlan(world, 'default', compileForRuns(plan));
  const runs = createLocalRuns({ ...world, ...deps });
  const { run_id: id } = await runs.start({
    tenant: 'default',
    plan_id: plan.plan_id,
    input: { city: 'Graz' },
    actor: { key: 'k1' },
  });
  return { runs, id };
}

/** Waits until a node stands so. */
async function until(runs: LocalRuns, id: string, name: string, status: string): Promise<RunView> {
  for (let round = 0; round < 1000; round++) {
    const view = await runs.view('default', id);
    if (view !== undefined && nodeOf(view, name).status === status) return view;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${name} was never ${status}`);
}

describe('R1.10 R1.11 order and concurrency', () => {
  test('R1.10 dependants run after their dependencies and get their output', async () => {
    const seen: string[] = [];
    const view = await run(
      async ({ node: { id }, arguments: given }) => {
        seen.push(id);
        return ok({ of: id, got: given });
      },
      node('c', { arguments: { x: [from('b.got.x'), from('a.of')] } }),
      node('b', { arguments: { x: from('a') } }),
      node('a'),
    );

    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.deepEqual(nodeOf(view, 'c').result, { of: 'c', got: { x: [{ of: 'a', got: {} }, 'a'] } });
    assert.deepEqual(view.output, { c: nodeOf(view, 'c').result });
  });

  test('R1.11 independent nodes run at the same time', async () => {
    let running = 0;
    let most = 0;
    const view = await run(
      async (_, time) => {
        most = Math.max(most, ++running);
        await time.sleep(1000, new AbortController().signal);
        running--;
        return ok(1);
      },
      ...Array.from({ length: 20 }, (_, index) => node(`n${index}`)),
    );

    assert.equal(most, 20);
    assert.equal(view.duration_ms, 1000);
  });

  test('R1.11 nested parallel branches run and join', async () => {
    const view = await run(
      async ({ node: { id } }) => ok(id),
      node('a'),
      node('b', { after: ['a'] }),
      node('c', { after: ['a'] }),
      node('d', { after: ['c'] }),
      node('e', { after: ['c'] }),
      node('f', { arguments: { all: [from('d'), from('e')] } }),
      node('g', { arguments: { all: [from('f'), from('b')] } }),
    );

    assert.equal(view.status, 'ok');
    assert.deepEqual(view.output, { g: 'g' });
  });

  test('the input of the run is passed to the nodes', async () => {
    const plan = planOf(node('a', { arguments: { city: from('$input.city'), all: from('$input') } }));
    const view = await runPlan(
      aWorld(async ({ arguments: given }) => ok(given)),
      plan,
      { city: 'Graz' },
    );

    assert.deepEqual(view.output, { a: { city: 'Graz', all: { city: 'Graz' } } });
  });

  test('a run records when dependencies were ready and when the node started', async () => {
    const view = await run(
      async ({ node: { id } }, time) => {
        await time.sleep(id === 'slow' ? 3000 : 1000, new AbortController().signal);
        return ok(1);
      },
      node('quick'),
      node('slow'),
      node('after', { after: ['quick'] }),
      node('both', { after: ['quick', 'slow'] }),
      node('last', { after: ['slow', 'after'] }),
    );

    assert.deepEqual(
      [nodeOf(view, 'both').ready_at, nodeOf(view, 'quick').ready_at],
      ['2026-01-01T00:00:03.000Z', view.started_at],
    );
    assert.ok((nodeOf(view, 'both').started_at ?? '') >= (nodeOf(view, 'both').ready_at ?? ''));
  });
});

describe('R1.12 failures', () => {
  const breaks: Execute = async ({ node: { id } }) => (id === 'bad' ? failed() : ok(id));

  test('R1.12 stop ends the run, cancels nodes running beside it and starts no more', async () => {
    const view = await run(
      async ({ node: { id }, signal }, time) => {
        await time.sleep(id === 'bad' ? 100 : 500, signal ?? new AbortController().signal);
        return id === 'bad' ? failed('no luck') : ok(id);
      },
      node('bad'),
      node('beside'),
      node('later', { after: ['beside'] }),
      node('below', { after: ['bad'] }),
    );

    assert.equal(view.status, 'failed');
    assert.deepEqual(view.error, { type: 'ToolExecutionError', message: 'no luck' });
    assert.deepEqual(statuses(view), { bad: 'failed', beside: 'aborted', later: 'pending', below: 'pending' });
    assert.equal(view.duration_ms, 100);
  });

  test('R1.12 skip continues, and dependants of the failed node are skipped as well', async () => {
    const view = await run(
      breaks,
      node('bad', { on_failure: { policy: 'skip' } }),
      node('b', { arguments: { x: from('bad') } }),
      node('c', { after: ['b'] }),
      node('free'),
    );

    assert.equal(view.status, 'ok');
    assert.deepEqual(statuses(view), { bad: 'skipped', b: 'skipped', c: 'skipped', free: 'ok' });
    assert.equal(nodeOf(view, 'bad').reason, 'ToolExecutionError: broken');
    assert.equal(nodeOf(view, 'b').reason, 'bad has no result');
  });

  test('R1.12 skip with downstream run continues with null', async () => {
    const given: unknown[] = [];
    const view = await run(
      async (call) => {
        given.push(call.arguments);
        return breaks(call, undefined as never);
      },
      node('bad', { on_failure: { policy: 'skip', downstream: 'run' } }),
      node('b', { arguments: { x: from('bad.deep.path'), y: [from('bad')] } }),
    );

    assert.deepEqual(statuses(view), { bad: 'skipped', b: 'ok' });
    assert.deepEqual(given, [{}, { x: null, y: [null] }]);
  });

  test('an optional argument that may not be null is omitted instead', async () => {
    const lookup = (name: string) => ({
      spec: { ...anyTool(name)?.spec, parameters: { type: 'object', properties: { x: { type: 'string' }, y: {} } } },
    });
    const nodes = [
      node('bad', { on_failure: { policy: 'skip', downstream: 'run' } }),
      node('b', { arguments: { x: from('bad'), y: from('bad') } }),
    ];
    const { plan } = buildPlan({ nodes }, lookup as typeof anyTool);
    const given: unknown[] = [];
    await runPlan(
      aWorld(async (call) => {
        given.push(call.arguments);
        return breaks(call, undefined as never);
      }),
      plan,
    );

    assert.deepEqual(given[1], { y: null });
  });

  test('R1.12 retry backs off, and each attempt is recorded', async () => {
    const view = await run(
      async ({ attempt }) => (attempt < 3 ? failed(`attempt ${attempt}`) : ok('at last')),
      node('a', { on_failure: { policy: 'retry', attempts: 4 } }),
    );

    assert.equal(view.status, 'ok');
    assert.deepEqual(
      nodeOf(view, 'a').attempts.map(({ attempt, status, started_at: at, error }) => [
        attempt,
        status,
        at.slice(14),
        error?.message,
      ]),
      [
        [1, 'failed', '00:00.000Z', 'attempt 1'],
        [2, 'failed', '00:00.500Z', 'attempt 2'],
        [3, 'ok', '00:01.500Z', undefined],
      ],
    );
  });

  test('R1.12 exhausted retries stop the run or skip the node', async () => {
    const calls: string[] = [];
    const execute: Execute = async (call) => {
      calls.push(call.node.id);
      return breaks(call, undefined as never);
    };
    const stopped = await run(execute, node('bad', { on_failure: { policy: 'retry', attempts: 2 } }));
    const skipped = await run(
      execute,
      node('bad', { on_failure: { policy: 'retry', attempts: 2, then: 'skip' } }),
      node('b', { after: ['bad'] }),
    );

    assert.equal(stopped.status, 'failed');
    assert.deepEqual(statuses(skipped), { bad: 'skipped', b: 'skipped' });
    assert.equal(calls.length, 4);
  });

  test('R1.12 a permanent refusal is not retried', async () => {
    let calls = 0;
    const view = await run(
      async () => {
        calls++;
        throw new Fault('Forbidden', 'not granted');
      },
      node('a', { on_failure: { policy: 'retry', attempts: 5 } }),
    );

    assert.equal(calls, 1);
    assert.deepEqual(view.error, { type: 'Forbidden', message: 'not granted' });
  });

  test('a node that takes too long is cancelled, recorded and retried', async () => {
    const view = await run(
      async ({ attempt }) => (attempt === 1 ? new Promise(() => {}) : ok(1)),
      node('a', { timeout_seconds: 7, on_failure: { policy: 'retry', attempts: 2 } }),
    );

    assert.equal(view.status, 'ok');
    assert.deepEqual(
      nodeOf(view, 'a').attempts.map(({ status, error }) => [status, error?.type]),
      [
        ['failed', 'States.Timeout'],
        ['ok', undefined],
      ],
    );
  });

  test('an output without the referenced path fails the next node, with both named', async () => {
    const view = await run(
      async () => ok({ here: 1 }),
      node('a'),
      node('b', { arguments: { list: [{ x: from('a.there') }] } }),
    );

    assert.deepEqual(view.error, {
      type: 'InvalidInput',
      message: 'argument list[0].x of node b takes a.there, which the output does not have',
    });
    assert.equal(nodeOf(view, 'b').status, 'failed');
  });
});

describe('approval in runs', () => {
  const asking = [
    node('a'),
    node('send', { tool: 'ask_send', arguments: { x: from('a') } }),
    node('z', { after: ['send'] }),
  ];

  test('a node that needs consent waits, and runs with the name of who approved', async () => {
    let approvedBy: string | undefined;
    const world = aHeldWorld(async (call) => {
      if (call.node.id === 'send') approvedBy = call.approvedBy;
      return ok(call.node.id);
    });
    const { runs, id } = await begin(world, asking);
    const waiting = await until(runs, id, 'send', 'waiting_approval');
    await runs.confirm('default', id, 'send', { approve: true, approver: 'key-9' });
    const view = await runs.ended('default', id);

    assert.equal(waiting.status, 'running');
    assert.equal(view.status, 'ok');
    assert.equal(approvedBy, 'key-9');
    assert.equal(nodeOf(view, 'send').approval?.arguments, undefined);
    assert.equal(nodeOf(view, 'send').approval?.approver, 'key-9');
    assert.doesNotMatch(JSON.stringify(waiting), /token/);
  });

  test('a waiting node shows the arguments to approve, with earlier outputs filled in', async () => {
    const given = { text: from('a.say'), all: [from('a')], fixed: 1, gone: from('lost'), input: from('$input.x') };
    const { runs, id } = await begin(
      aHeldWorld(async (call) => {
        if (call.node.id === 'lost') throw new Fault('ToolExecutionError', 'lost');
        return ok({ say: 'hello' });
      }),
      [
        node('a'),
        node('lost', { on_failure: { policy: 'skip', downstream: 'run' } }),
        node('send', { tool: 'ask_send', arguments: given }),
      ],
    );
    const view = await until(runs, id, 'send', 'waiting_approval');

    assert.deepEqual(nodeOf(view, 'send').approval?.arguments, {
      text: 'hello',
      all: [{ say: 'hello' }],
      fixed: 1,
      gone: null,
      input: from('$input.x'),
    });
  });

  test('a denial stops the run under the policy stop', async () => {
    const { runs, id } = await begin(
      aHeldWorld(async () => ok(1)),
      asking,
    );
    await until(runs, id, 'send', 'waiting_approval');
    await runs.confirm('default', id, 'send', { approve: false, approver: 'key-9' });
    const view = await runs.ended('default', id);

    assert.deepEqual(view.error, { type: 'ApprovalDenied', message: 'denied by key-9' });
    assert.deepEqual(statuses(view), { a: 'ok', send: 'denied', z: 'pending' });
  });

  test('a denial under the policy skip skips the node', async () => {
    const lenient = asking.map((one) => (one.id === 'send' ? { ...one, on_failure: { policy: 'skip' } } : one));
    const { runs, id } = await begin(
      aHeldWorld(async () => ok(1)),
      lenient,
    );
    await until(runs, id, 'send', 'waiting_approval');
    await runs.confirm('default', id, 'send', { approve: false, approver: 'key-9' });
    const view = await runs.ended('default', id);

    assert.equal(view.status, 'ok');
    assert.deepEqual(statuses(view), { a: 'ok', send: 'denied', z: 'skipped' });
  });

  test('a confirmation without an answer expires and does not run the node', async () => {
    const hurried = asking.map((one) => (one.id === 'send' ? { ...one, confirm_timeout_seconds: 30 } : one));
    const { runs, id } = await begin(
      aWorld(async () => ok(1)),
      hurried,
    );
    const view = await runs.ended('default', id);

    assert.equal(view.error?.type, 'States.Timeout');
    assert.equal(view.duration_ms, 30_000);
    assert.equal(nodeOf(view, 'send').status, 'denied');
    assert.equal(nodeOf(view, 'send').approval?.decision, 'timed_out');
  });

  test('repeating an answer changes nothing, a different answer is refused, and so is one to no question', async () => {
    const { runs, id } = await begin(
      aHeldWorld(async () => ok(1)),
      asking,
    );
    await until(runs, id, 'send', 'waiting_approval');
    const say = (approve: boolean, name = 'send', run = id) =>
      runs.confirm('default', run, name, { approve, approver: 'key-9' });
    await say(true);
    await say(true);

    await assert.rejects(say(false), { name: 'Conflict', message: /already approved/ });
    await assert.rejects(say(true, 'a'), { name: 'NotFound' });
    await assert.rejects(say(true, 'send', 'nothing'), { name: 'NotFound' });
    await runs.ended('default', id);
  });
});

describe('cancel and resume', () => {
  test('cancelling ends a run at once and starts no more nodes', async () => {
    const calls: string[] = [];
    const world = aHeldWorld(async ({ node: { id } }) => {
      calls.push(id);
      return id === 'b' ? new Promise(() => {}) : ok(id);
    });
    const { runs, id } = await begin(world, [
      node('a'),
      node('b', { after: ['a'], on_failure: { policy: 'skip' } }),
      node('c', { after: ['b'] }),
    ]);
    await until(runs, id, 'b', 'running');
    const view = await runs.cancel('default', id);

    assert.equal(view.status, 'cancelled');
    assert.deepEqual(statuses(view), { a: 'ok', b: 'aborted', c: 'pending' });
    assert.deepEqual(calls, ['a', 'b']);
    assert.equal((await runs.cancel('default', id)).status, 'cancelled');
  });

  test('a step of a cancelled run refuses to start, even where failures are skipped', async () => {
    const world = aHeldWorld(async ({ node: { id } }, time) => {
      await time.sleep(10, new AbortController().signal);
      return ok(id);
    });
    const { runs, id } = await begin(world, [node('a'), node('b', { after: ['a'], on_failure: { policy: 'skip' } })]);
    const elsewhere = createLocalRuns(world);
    await elsewhere.cancel('default', id);
    const view = await runs.ended('default', id);

    assert.equal(view.status, 'cancelled');
    assert.notEqual(nodeOf(view, 'b').status, 'ok');
  });

  test('cancelling an unknown run is refused', async () => {
    await assert.rejects(createLocalRuns(aWorld(async () => ok(1))).cancel('default', 'none'), { name: 'NotFound' });
  });

  test('a run of a crashed process continues without repeating finished nodes', async () => {
    const calls: string[] = [];
    let lost = true;
    const world = aHeldWorld(async (call) => {
      calls.push(`${call.node.id} ${call.attempt}`);
      if (call.node.id === 'b' && lost) return new Promise(() => {});
      if (call.node.id === 'bad') return failed();
      return ok(call.node.id);
    });
    const nodes = [
      node('a'),
      node('bad', { after: ['a'], on_failure: { policy: 'skip' } }),
      node('b', { arguments: { x: from('a') }, after: ['bad'], on_failure: { policy: 'retry', attempts: 2 } }),
      node('c', { arguments: { x: from('b') } }),
    ];
    const plan = nodes.map((one) =>
      one.id === 'bad' ? { ...one, on_failure: { policy: 'skip', downstream: 'run' } } : one,
    );
    const { runs, id } = await begin(world, plan);
    await until(runs, id, 'b', 'running');
    await runs.close();
    lost = false;

    const next = createLocalRuns(world);
    const before = await next.view('default', id);
    assert.deepEqual(await next.resume(), [id]);
    const view = await next.ended('default', id);

    assert.equal(before?.status, 'running');
    assert.equal(view.status, 'ok');
    assert.deepEqual(calls, ['a 1', 'bad 1', 'b 1', 'b 2', 'c 1']);
    assert.deepEqual(
      nodeOf(view, 'b').attempts.map(({ status }) => status),
      ['interrupted', 'ok'],
    );
    assert.deepEqual(await next.resume(), []);
  });

  test('a confirmation asked before a restart keeps its answer and its deadline', async () => {
    const world = aHeldWorld(async () => ok(1));
    const ask = [node('send', { tool: 'ask_send', confirm_timeout_seconds: 60 })];
    const first = await begin(world, ask);
    await until(first.runs, first.id, 'send', 'waiting_approval');
    await first.runs.close();
    // Nobody is at the run now; the answer is kept all the same.
    const asked = await createLocalRuns(world).confirm('default', first.id, 'send', { approve: true, approver: 'k' });
    assert.equal(asked.status, 'running');

    const next = createLocalRuns(world);
    await next.resume();
    const view = await next.ended('default', first.id);

    assert.equal(view.status, 'ok');
    assert.equal(nodeOf(view, 'send').approval?.approver, 'k');
  });

  test('X.04 a run that cannot continue does not delay others', async () => {
    let isLost = true;
    const world = aHeldWorld(async () => (isLost ? new Promise(() => {}) : ok(1)));
    const started = [];
    for (const id of ['a', 'b', 'c']) started.push({ ...(await begin(world, [node(id)])), node: id });
    for (const { runs, id, node: name } of started) await until(runs, id, name, 'running');
    for (const { runs } of started) await runs.close();
    isLost = false;
    const [first] = (await world.table.query(ACTIVE_RUNS_PK)).items.map(({ key }) => key.sk.split('#')[0] ?? '');
    const { plan_id } = (await createLocalRuns(world).view('default', first ?? '')) ?? {};
    await world.table.write([{ remove: planKey('default', plan_id ?? '') }]);

    const resumed = await createLocalRuns(world).resume();

    assert.deepEqual(new Set(resumed), new Set(started.map(({ id }) => id).filter((id) => id !== first)));
  });

  test('a run whose owner is alive stays with it, whichever process asks', async () => {
    const world = aHeldWorld(async () => new Promise(() => {}));
    const { runs, id } = await begin(world, [node('a')]);
    await until(runs, id, 'a', 'running');

    assert.deepEqual(await createLocalRuns(world).resume(), []);
    await runs.cancel('default', id);
  });

  test('a slow owner whose run was taken over stops and changes nothing more', async () => {
    let release = (): void => {};
    const world = aHeldWorld(async (call) => {
      if (call.node.id === 'a' && call.cutOff === undefined) await new Promise<void>((resolve) => (release = resolve));
      return ok(call.cutOff === undefined ? 'late' : 'taken over');
    });
    const { runs, id } = await begin(world, [node('a'), node('b', { after: ['a'] })]);
    await until(runs, id, 'a', 'running');
    const late = { ...world, clock: { ...world.clock, now: () => world.clock.now() + LEASE_MS } };
    const next = createLocalRuns(late);

    assert.deepEqual(await next.resume(), [id]);
    const view = await next.ended('default', id);
    release();
    await runs.ended('default', id);

    assert.equal(view.status, 'ok');
    assert.equal(nodeOf(view, 'a').result, 'taken over');
    assert.deepEqual(await runs.view('default', id), view);
    const [first, second] = nodeOf(view, 'a').attempts;
    assert.deepEqual([first?.status, second?.status], ['interrupted', 'ok']);
    assert.equal(first?.call_id, second?.call_id);
  });

  test('approving and cancelling through another process reach the run', async () => {
    const looks: (() => void)[] = [];
    const world = aHeldWorld(async () => ok(1));
    const every = (_: number, work: () => void) => {
      looks.push(work);
      return () => {};
    };
    const owner = { timers: { ...systemTimers, every } };
    const ask = [node('send', { tool: 'ask_send', confirm_timeout_seconds: 60 }), node('more', { tool: 'ask_more' })];
    const { runs, id } = await begin(world, ask, owner);
    await until(runs, id, 'send', 'waiting_approval');
    await until(runs, id, 'more', 'waiting_approval');
    const elsewhere = createLocalRuns(world);

    await elsewhere.confirm('default', id, 'send', { approve: true, approver: 'k' });
    for (const look of looks) look();
    await until(runs, id, 'send', 'ok');
    await elsewhere.cancel('default', id);
    for (const look of looks) look();
    const view = await runs.ended('default', id);

    assert.equal(view.status, 'cancelled');
    assert.equal(nodeOf(view, 'send').approval?.approver, 'k');
  });
});

describe('sizes of runs', () => {
  test('large results are passed by reference and arrive whole', async () => {
    const big = 'x'.repeat(300_000);
    const given: unknown[] = [];
    const world = aWorld(async (call) => {
      given.push(call.arguments);
      return ok(call.node.id === 'a' ? { big } : 'done');
    });
    const view = await runPlan(world, planOf(node('a'), node('b', { arguments: { x: from('a.big') } })), { seed: big });

    assert.equal(view.status, 'ok');
    assert.deepEqual(given[1], { x: big });
    assert.match(nodeOf(view, 'a').result_ref ?? '', /^runs\/default\/.*\/a\.json$/);
    assert.equal(nodeOf(view, 'a').result, undefined);
  });

  test('fifty results of 30 kB are inputs of one node without exceeding a limit', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `n${index}`);
    let received = 0;
    const world = aWorld(async (call) => {
      if (call.node.id === 'end')
        received = (call.arguments.all as string[]).reduce((sum, text) => sum + text.length, 0);
      return ok('y'.repeat(30_000));
    });
    const view = await runPlan(
      world,
      planOf(...many.map((id) => node(id)), node('end', { arguments: { all: many.map((id) => from(id)) } })),
    );

    assert.equal(view.status, 'ok', view.error?.message);
    assert.equal(received, 1_500_000);
  });

  test('a plan of 200 nodes with long arguments is stored and runs', async () => {
    const nodes = Array.from({ length: 200 }, (_, index) =>
      node(`n${index}`, {
        arguments: { text: 'z'.repeat(3000), ...(index > 0 ? { x: from(`n${Math.floor(index / 2)}`) } : {}) },
        ...(index > 0 ? {} : {}),
      }),
    );
    nodes[1] = node('n1', { arguments: { x: from('n0') } });
    const view = await runPlan(
      aWorld(async ({ node: { id } }) => ok(id)),
      planOf(...nodes),
    );

    assert.equal(view.status, 'ok', view.error?.message);
    assert.ok(view.nodes.every(({ status }) => status === 'ok'));
  });
});
