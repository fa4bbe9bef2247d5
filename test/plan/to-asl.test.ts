import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import { PlanNodeInput } from '../../shared/model/plan.ts';
import { innerScopes, type Machine, parseMachine, type StateScope } from '../../shared/plan/asl.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import { checkMachine } from '../../shared/plan/check-machine.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import { type AslOptions, type PlanMachine, toAsl } from '../../shared/plan/to-asl.ts';
import { anyTool, randomPlan, randomPlanInput } from '../bench/random-plans.ts';
import { tries } from '../support/sampling.ts';
import { validateAsl } from '../support/validate-asl.ts';
import { assertGolden } from './golden.ts';

const compile = (input: unknown, options: AslOptions = {}): PlanMachine => {
  const { plan } = buildPlan(input, anyTool);
  return toAsl(plan, compilePlan(plan).tree, options);
};

const diamond = {
  nodes: [
    { id: 'start', tool: 'fetch' },
    {
      id: 'left',
      tool: 'work',
      arguments: { of: { $from: 'start.text' } },
      on_failure: { policy: 'retry', attempts: 4 },
    },
    { id: 'right', tool: 'work', arguments: { of: { $from: 'start' } }, on_failure: { policy: 'skip' } },
    { id: 'end', tool: 'ask_send', arguments: { all: [{ $from: 'left' }, { $from: 'right' }] } },
  ],
};

describe('toAsl', () => {
  test('C.05 toAsl writes Parallel, Retry, Catch, guard and confirmation for a diamond', () => {
    const { definition } = compile(diamond);

    assertGolden('diamond.asl.json', `${JSON.stringify(definition, undefined, 2)}\n`);
  });

  test('C.05 asl-validator accepts the definitions of random plans', () => {
    for (let seed = 0; seed < tries(4, 50); seed++) {
      const plan = randomPlan(seed, 5 + (seed % 12));
      const { definition } = toAsl(plan, compilePlan(plan).tree);
      assert.equal(validateAsl(definition), '');
    }
  });

  test('states are named n1..nk, and nothing else about the nodes is in the definition', () => {
    const { definition, order } = compile(diamond, { step: 'arn:aws:lambda:eu-west-1:1:function:step' });
    const names = statesOf(definition).map(([name]) => name);

    assert.deepEqual(names.filter((name) => name.startsWith('n')).sort(), ['n1', 'n2', 'n3', 'n4']);
    assert.deepEqual([...order].sort(), ['end', 'left', 'right', 'start']);
    assert.doesNotMatch(JSON.stringify(definition), /fetch|left|right|\.text/);
  });

  test('equal shapes give equal definitions, whatever their names, tools, arguments and order', () => {
    for (let seed = 0; seed < tries(12, 40); seed++) {
      const input = randomPlanInput(seed, 5 + seed);
      const other = shuffled(input.nodes, seed);
      assert.equal(compile(input).hash, compile({ nodes: other }).hash, `seed ${seed}`);
    }
  });

  test('another policy or another edge gives another definition', () => {
    const [first, ...others] = [
      diamond,
      { nodes: diamond.nodes.map((node) => ({ ...node, on_failure: { policy: 'stop' } })) },
      {
        nodes: diamond.nodes.map((node) => (node.id === 'left' ? { ...node, on_failure: { policy: 'retry' } } : node)),
      },
      { nodes: diamond.nodes.map((node) => (node.id === 'right' ? { ...node, arguments: {} } : node)) },
    ].map((input) => compile(input).hash);

    assert.equal(new Set([first, ...others]).size, 4);
  });

  test('a plan that needs consent, uses Batch or takes over a minute is Standard, others are Express', () => {
    const plain = { nodes: [{ id: 'a', tool: 'tool' }] };

    assert.equal(compile(plain, { makespan_ms: 60_000 }).type, 'EXPRESS');
    assert.equal(compile(plain, { makespan_ms: 60_001 }).type, 'STANDARD');
    assert.equal(compile(plain, { batch: true }).type, 'STANDARD');
    assert.equal(compile({ nodes: [{ id: 'a', tool: 'tool', confirm: true }] }).type, 'STANDARD');
    assert.equal(compile({ nodes: [{ id: 'a', tool: 'ask_tool' }] }).type, 'STANDARD');
  });

  test('the inline size budget of results is shared by those that one state receives', () => {
    const fan = (count: number) => ({
      nodes: [
        ...Array.from({ length: count }, (_, index) => ({ id: `n${index}`, tool: 'tool' })),
        {
          id: 'end',
          tool: 'tool',
          arguments: { all: Array.from({ length: count }, (_, index) => ({ $from: `n${index}` })) },
        },
      ],
    });

    assert.equal(compile({ nodes: [{ id: 'a', tool: 'tool' }] }).inline_bytes, 204_800);
    assert.equal(compile(fan(8)).inline_bytes, 25_600);
    assert.ok(compile(fan(199)).inline_bytes * 199 <= 204_800);
  });

  test('a plan of 200 nodes with every policy stays far below the size limit', () => {
    const plan = randomPlan(11, 200);
    const { definition } = toAsl(plan, compilePlan(plan).tree);

    assert.ok(JSON.stringify(definition).length < 700_000);
  });

  test('definitions contain only variables, paths and comparisons, which JSONata 2.0.6 supports', () => {
    const path = String.raw`\$\w+(?:\.\w+|\[\d+\])*`;
    const allowed = new RegExp(`^\\{% (?:${path}|${path} != 'ok'(?: or ${path} != 'ok')*) %\\}$`);
    for (let seed = 0; seed < 30; seed++) {
      const plan = randomPlan(seed);
      const text = JSON.stringify(toAsl(plan, compilePlan(plan).tree).definition);
      for (const [expression] of text.matchAll(/\{%.*?%\}/g)) assert.match(expression, allowed);
    }
  });

  test('toAsl refuses a tree of another plan', () => {
    const { plan } = buildPlan(diamond, anyTool);
    assert.throws(() => toAsl(plan, { kind: 'node', id: 'start' }), /does not hold each node/);
    const reversed = {
      kind: 'series' as const,
      children: plan.nodes.map(({ id }) => ({ kind: 'node' as const, id })).reverse(),
    };
    assert.throws(() => toAsl(plan, reversed), /before its dependency/);
    const flat = { kind: 'parallel' as const, children: reversed.children.toReversed() };
    assert.throws(() => toAsl(plan, flat), /before its dependency/);
  });
});

describe('checkMachine', () => {
  const machine = (states: Readonly<Record<string, unknown>>, more = {}): Machine =>
    parseMachine({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0] ?? '', States: states, ...more });
  const task = { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', End: true };
  const end = { Type: 'Succeed' };
  const inner = (states: Readonly<Record<string, unknown>>) => ({
    Type: 'Parallel',
    Branches: [{ StartAt: Object.keys(states)[0], States: states }],
    End: true,
  });
  const refusals: readonly (readonly [string, RegExp, Readonly<Record<string, unknown>>])[] = [
    [
      'States.ALL before another retrier',
      /States.ALL alone and last/,
      { a: { ...task, Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['X'] }] } },
    ],
    [
      'States.ALL with company',
      /States.ALL alone and last/,
      { a: { ...task, Catch: [{ ErrorEquals: ['X', 'States.ALL'], Next: 'b' }] }, b: end },
    ],
    [
      'a bad jitter strategy',
      /JitterStrategy/,
      { a: { ...task, Retry: [{ ErrorEquals: ['X'], JitterStrategy: 'HALF' }] } },
    ],
    [
      'a shadowed variable',
      /variable v is already assigned/,
      {
        a: { Type: 'Pass', Assign: { v: 1 }, Next: 'b' },
        b: inner({ c: { Type: 'Pass', Assign: { v: 2 }, End: true } }),
      },
    ],
    ['an assignment to states', /variable states/, { a: { Type: 'Pass', Assign: { states: 1 }, End: true } }],
    [
      'a name over 80 characters',
      /name x+ has 81 characters|StartAt/,
      { a: { Type: 'Pass', Next: 'b' }, b: inner({ ['x'.repeat(81)]: end }) },
    ],
    ['two states of one name', /two states are called a/, { a: inner({ a: end }) }],
    ['a missing target', /no state z to go to/, { a: { Type: 'Pass', Next: 'z' } }],
    ['a lost state', /state b cannot be reached/, { a: end, b: end }],
    ['neither Next nor End', /a needs Next or End/, { a: { Type: 'Pass' } }],
    ['JSONPath fields', /unknown field States.a.InputPath/, { a: { Type: 'Pass', InputPath: '$.x', End: true } }],
    [
      'distributed maps',
      /Mode/,
      {
        a: {
          Type: 'Map',
          ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED' }, StartAt: 'b', States: { b: end } },
          End: true,
        },
      },
    ],
  ];
  for (const [what, message, states] of refusals) {
    test(`checkMachine refuses ${what}`, () => {
      assert.throws(() => checkMachine(machine(states)), { name: 'InvalidInput', message });
    });
  }

  test('checkMachine refuses JSONPath machines by name', () => {
    assert.throws(() => parseMachine({ StartAt: 'a', States: { a: end } }), /QueryLanguage is required/);
    assert.throws(() => machine({ a: end }, { QueryLanguage: 'JSONPath' }), /JSONPath states are not supported/);
  });

  test('checkMachine refuses a definition over 1 MB', () => {
    const big = machine({ a: { Type: 'Pass', Output: 'x'.repeat(1_048_576), End: true } });
    assert.throws(() => checkMachine(big), {
      name: 'TooLarge',
      message: /Step Functions takes 1048576; split the plan/,
    });
  });
});

function statesOf(scope: StateScope): readonly (readonly [string, unknown])[] {
  return Object.entries(scope.States).flatMap(([name, state]) => [
    [name, state] as const,
    ...innerScopes(state).flatMap(statesOf),
  ]);
}

/** The same plan with other ids, tools and arguments, in another order. */
function shuffled(nodes: readonly PlanNodeInput[], seed: number): readonly PlanNodeInput[] {
  const random = seededRandom(seed + 77);
  const names = new Map(nodes.map(({ id }, index) => [id, `k${(index * 7919) % 10007}`]));
  return nodes
    .map((node) => {
      const renamed = JSON.parse(JSON.stringify(node), (key, value: unknown) =>
        key === '$from' ? String(value).replace(/^\w+/, (id) => names.get(id) ?? id) : value,
      ) as PlanNodeInput;
      return PlanNodeInput.parse({
        ...renamed,
        id: names.get(node.id),
        tool: node.tool.startsWith('ask_') ? 'ask_other' : 'other',
        after: node.after.map((id) => names.get(id)).reverse(),
        timeout_seconds: 7,
      });
    })
    .map((node) => ({ node, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ node }) => node);
}
