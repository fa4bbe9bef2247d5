import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { HEARTBEAT_MS, LEASE_MS } from '../../shared/kernel/lease.ts';
import type { RunView } from '../../shared/model/run.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import { cachePlans } from '../../shared/plan/cache-plans.ts';
import type { NodeCall, NodeOutcome, RunDeps } from '../../shared/plan/run-deps.ts';
import { savePlan } from '../../shared/plan/run-store.ts';
import { executionInput, loadView, openRun, planToRun } from '../../shared/plan/runs.ts';
import { runStep } from '../../shared/plan/step.ts';
import { toAsl } from '../../shared/plan/to-asl.ts';
import { anyTool } from '../bench/random-plans.ts';
import { recordingLog } from '../support/recording-log.ts';
import { compileForRuns } from './run-plan.ts';

/** A run on a state machine, whose only step is delivered by hand; time stands still until it is moved. */
const aRun = async () => {
  let now = 1_700_000_000_000;
  let ids = 0;
  const beats = new Set<() => void>();
  const calls: { call: NodeCall; end: (outcome: NodeOutcome) => void }[] = [];
  const [table, blobs] = [memoryTable({ now: () => now }), memoryBlobs()];
  const deps: RunDeps = {
    table,
    blobs,
    clock: { now: () => now, newId: () => `id-${++ids}` },
    plan: cachePlans({ table, blobs }),
    execute: (call) => new Promise((end) => calls.push({ call, end })),
    answer: async () => {},
    attemptLeases: {
      timers: {
        ...systemTimers,
        every(_, work) {
          beats.add(work);
          return () => beats.delete(work);
        },
      },
      log: recordingLog(),
      random: (bytes) => randomBytes(bytes),
      wait: () => new Promise((resolve) => setImmediate(resolve)),
    },
  };
  const { plan } = buildPlan({ nodes: [{ id: 'a', tool: 'tool' }] }, anyTool);
  await savePlan(deps, 'default', compileForRuns(plan));
  const saved = await planToRun(deps, 'default', plan.plan_id);
  const machine = toAsl(saved.plan, saved.tree, { makespan_ms: 1, step: 'step' });
  const request = { tenant: 'default', plan_id: plan.plan_id };
  const { run } = await openRun(deps, request, saved, machine, 'STANDARD');
  const event = { node: 'n1', input: executionInput(run, saved), results: {} };
  return {
    calls,
    deliver: () => runStep(deps, event),
    /** Lets everybody do what can be done now. */
    settle: async () => {
      for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    pass: async (milliseconds: number, isAlive: boolean) => {
      for (const end = now + milliseconds; now < end; ) {
        now += HEARTBEAT_MS;
        if (isAlive) for (const beat of beats) beat();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    attempts: async () => ((await loadView(deps, 'default', run.run_id)) as RunView).nodes[0]?.attempts ?? [],
  };
};

describe('a state machine step that is delivered twice', () => {
  test('X.04 a redelivered step waits for the delivery in progress, however long, and returns its result', async () => {
    const { calls, deliver, settle, pass, attempts } = await aRun();
    const first = deliver();
    await settle();
    const second = deliver();
    await pass(3 * LEASE_MS, true);
    await settle();
    assert.equal(calls.length, 1);

    calls[0]?.end({ status: 'ok', output: { x: 1 } });
    assert.deepEqual(await Promise.all([first, second]), [
      { s: 'ok', v: { x: 1 } },
      { s: 'ok', v: { x: 1 } },
    ]);
    assert.deepEqual(
      (await attempts()).map(({ status }) => status),
      ['ok'],
    );
  });

  test('X.04 two concurrent deliveries of a step start one attempt', async () => {
    const { calls, deliver, settle } = await aRun();
    const both = [deliver(), deliver()];
    await settle();
    assert.equal(calls.length, 1);
    calls[0]?.end({ status: 'ok', output: 1 });
    assert.deepEqual(await Promise.all(both), [
      { s: 'ok', v: 1 },
      { s: 'ok', v: 1 },
    ]);
  });

  test('X.04 a redelivered step continues under the same call id when the first died, and a late first changes nothing', async () => {
    const { calls, deliver, settle, pass, attempts } = await aRun();
    const slow = deliver();
    await settle();
    const second = deliver();
    await settle();
    assert.equal(calls.length, 1);
    await pass(LEASE_MS + HEARTBEAT_MS, false);
    await settle();

    assert.deepEqual(
      calls.map(({ call }) => call.callId),
      [calls[0]?.call.callId, calls[0]?.call.callId],
    );
    assert.deepEqual([calls[0]?.call.isLost?.(), calls[1]?.call.isLost?.()], [true, false]);
    calls[0]?.end({ status: 'ok', output: 'late' });
    await slow;
    calls[1]?.end({ status: 'ok', output: 'new' });
    assert.deepEqual(await second, { s: 'ok', v: 'new' });
    assert.deepEqual(
      (await attempts()).map(({ status }) => status),
      ['interrupted', 'ok'],
    );
  });
});
