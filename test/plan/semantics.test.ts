import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import type { Plan } from '../../shared/model/plan.ts';
import { randomPlan } from '../bench/random-plans.ts';
import { tries } from '../support/sampling.ts';
import { evaluate, type Fate, type Fates } from './evaluator.ts';
import { runToFate, type Witnessed } from './run-support.ts';

const PLANS = tries(50, 1000);

describe('plan semantics', () => {
  test(`R1.10 R1.12 ${PLANS} random plans with random failures end as an independent evaluator predicts`, async () => {
    const ends = { ok: 0, failed: 0, skipped: 0, denied: 0, retried: 0 };
    for (let seed = 0; seed < PLANS; seed++) {
      const plan = randomPlan(seed, seed % 250 === 249 ? 60 : 3 + (seed % 8));
      const fates = randomFates(plan, seed);
      const witnessed = await runToFate(plan, fates);
      const expected = evaluate(plan, fates);

      compare(witnessed, expected, plan, `seed ${seed}`);
      ends[expected.status] += 1;
      for (const { status, attempts } of expected.nodes.values()) {
        if (status === 'skipped' || status === 'denied') ends[status] += 1;
        if (attempts > 1) ends.retried += 1;
      }
    }
    // The sample must reach what it is meant to test.
    for (const [end, count] of Object.entries(ends)) assert.ok(count > PLANS / 50, `${end}: ${count}`);
  });
});

function compare({ view, calls }: Witnessed, expected: ReturnType<typeof evaluate>, plan: Plan, label: string): void {
  assert.equal(view.status, expected.status, `${label}: ${view.error?.type} ${view.error?.message}`);
  if (expected.status === 'failed')
    assert.ok(expected.errors.has(view.error?.type ?? ''), `${label}: ${view.error?.type}`);
  for (const node of view.nodes) {
    const wanted = expected.nodes.get(node.id);
    const ran = calls.filter((call) => call.node.id === node.id).length;
    // After a stop, siblings were cut off or never began; what did end must still be right.
    const cutOff = expected.status === 'failed' && ['pending', 'aborted'].includes(node.status);
    if (cutOff || wanted?.status === 'unknown') {
      if (wanted?.status === 'unknown')
        assert.equal(ran, 0, `${label}: ${node.id} ran below a node that stopped the run`);
      continue;
    }
    const status = wanted?.status === 'failed' && node.status === 'denied' ? 'denied' : wanted?.status;
    assert.equal(node.status, status, `${label}: ${node.id} ${node.reason}`);
    assert.equal(ran, wanted?.attempts, `${label}: attempts at ${node.id}`);
    assert.equal(node.attempts.length, wanted?.attempts, `${label}: recorded attempts at ${node.id}`);
    assert.deepEqual(node.result, wanted?.output, `${label}: output of ${node.id}`);
  }
  checkOrder(
    calls.map((call) => call.node.id),
    plan,
    label,
  );
}

/** Each node was called after all it depends on. */
function checkOrder(called: readonly string[], plan: Plan, label: string): void {
  for (const { id, after } of plan.nodes) {
    for (const one of after) {
      if (!called.includes(id) || !called.includes(one)) continue;
      assert.ok(called.indexOf(id) > called.lastIndexOf(one), `${label}: ${id} ran before ${one} had ended`);
    }
  }
}

function randomFates(plan: Plan, seed: number): Fates {
  const random = seededRandom(seed + 31_337);
  const rate = random() * 0.5;
  const errors = ['ToolExecutionError', 'InvalidInput', 'Weird', 'hang'];
  const fate = (): Fate => {
    const failures: string[] = [];
    while (random() < rate && failures.length < 5) failures.push(errors[Math.floor(random() * errors.length)] ?? '');
    const answer = random();
    return { failures, answer: answer < 0.7 ? 'approve' : answer < 0.9 ? 'deny' : 'silence' };
  };
  return new Map(plan.nodes.map(({ id }) => [id, fate()]));
}
