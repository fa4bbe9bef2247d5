import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Plan, RunView } from '../../functions/console/answers.ts';
import { retryPlan } from '../../functions/console/plans/retry-plan.ts';

const node = (id: string, after: readonly string[], args: object, more: object = {}) => ({
  id,
  tool: 'hash',
  version: '1.0.0',
  arguments: args,
  after,
  on_failure: { policy: 'stop', downstream: 'skip' },
  timeout_seconds: 10,
  confirm: false,
  confirm_timeout_seconds: 60,
  drop_null: [],
  ...more,
});

const plan = {
  name: 'chain',
  nodes: [
    node('a', [], { text: 'x' }),
    node('b', ['a'], { text: { $from: 'a.digest' } }, { from_upstream: ['text'] }),
    node('c', ['b'], { text: { $from: 'b.digest' }, more: { $from: '$input.word' } }),
    node('d', [], { text: 'aside' }),
  ],
} as unknown as Plan;

const run = (states: Readonly<Record<string, object>>): RunView =>
  ({ nodes: plan.nodes.map(({ id }) => ({ id, status: 'ok', result: {}, ...states[id] })) }) as unknown as RunView;

const nodesOf = (request: ReturnType<typeof retryPlan>) => ('nodes' in request ? request.nodes : []);

describe('retrying a run from a node', () => {
  test('X.27 a retry runs the chosen node and what follows, with earlier results as values', () => {
    const again = nodesOf(retryPlan(plan, run({ a: { result: { digest: 'aa' } }, b: { status: 'failed' } }), 'b'));

    assert.deepEqual(
      again.map(({ id, after }) => [id, after]),
      [
        ['b', []],
        ['c', ['b']],
      ],
    );
    assert.deepEqual(again[0]?.arguments, { text: 'aa' });
    assert.deepEqual(again[1]?.arguments, { text: { $from: 'b.digest' }, more: { $from: '$input.word' } });
  });

  test('X.27 a retry asks for consent again where an argument came from a source', () => {
    const [first, second] = nodesOf(retryPlan(plan, run({ b: { status: 'failed' } }), 'b'));

    assert.deepEqual([first?.confirm, second?.confirm], [true, false]);
  });

  test('X.27 a retry runs earlier nodes again whose result is missing or too large', () => {
    const again = nodesOf(
      retryPlan(plan, run({ a: { result_ref: 'blob' }, c: { status: 'failed' }, d: { status: 'aborted' } }), 'c'),
    );

    assert.deepEqual(
      again.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    );
  });
});
