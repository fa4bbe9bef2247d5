import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { nextTurn } from '../../shared/kernel/end-of-turn.ts';
import { createFairTurns } from '../../shared/kernel/fair-turns.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import { createNodeTurns } from '../../shared/plan/node-turns.ts';
import { anyTool } from '../bench/random-plans.ts';

const aNode = () => {
  const [node] = buildPlan({ nodes: [{ id: 'a', tool: 'tool' }] }, anyTool).plan.nodes;
  assert.ok(node);
  return node;
};

describe('nodes of plans take turns', () => {
  test('X.06 a full queue of requests delays a node and does not fail it', async () => {
    const turns = createFairTurns(systemClock(), 1);
    const nodes = createNodeTurns({ turns, timers: systemTimers, queues: async () => false });
    const requests = [turns.own('loud')];

    const all = Array.from({ length: 20 }, () => nodes.take('loud'));

    assert.equal((await Promise.allSettled(all)).filter(({ status }) => status === 'rejected').length, 0);
    await Promise.all(requests);
  });

  test('X.06 six nodes of a tenant wait for a process at a time, and the next starts when one has ended', async () => {
    const turns = createFairTurns(systemClock());
    const nodes = createNodeTurns({ turns, timers: systemTimers, queues: async () => true });
    const started: (() => void)[] = [];
    const start = async (tenant: string) => void started.push(await nodes.admit(tenant, aNode()));
    const settle = async () => {
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    };

    const all = [...Array.from({ length: 8 }, () => start('loud')), start('polite')];
    await settle();
    assert.equal(started.length, 7, 'six of the one and one of the other');

    for (const end of started.splice(0)) end();
    await Promise.all(all);
    assert.equal(started.length, 2);
  });
});
