import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonSchema } from '../../shared/kernel/json.ts';
import { ToolSpec } from '../../shared/model/tool.ts';
import { buildPlan, type FoundTool, type LookUpTool } from '../../shared/plan/build.ts';

const object = (properties: Readonly<Record<string, unknown>>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

const found = (fields: Readonly<Record<string, unknown>>, state: Omit<FoundTool, 'spec'> = {}): FoundTool => ({
  spec: ToolSpec.parse({ parameters: object({}), ...fields }),
  ...state,
});

const tools: Readonly<Record<string, FoundTool>> = {
  weather: found(
    {
      name: 'weather',
      version: '1.2.0',
      parameters: object({ city: { type: 'string', minLength: 1 } }, { required: ['city'] }),
      output_schema: object(
        {
          temperature: { type: 'number' },
          text: { type: 'string' },
          days: { type: 'array', items: object({ high: { type: 'number' }, name: { $ref: '#/$defs/name' } }) },
          source: { anyOf: [object({ url: { type: 'string' } }), { type: 'null' }] },
        },
        { $defs: { name: { type: 'string' } } },
      ),
    },
    { median_ms: 120 },
  ),
  convert: found({
    name: 'convert',
    parameters: object({ celsius: { type: 'number' }, unit: { enum: ['F', 'K'] } }, { required: ['celsius'] }),
    output_schema: object({ value: { type: 'number' } }),
  }),
  mail: found(
    {
      name: 'mail',
      parameters: object(
        { to: { type: 'string' }, body: {}, when: object({ day: { type: 'string' } }) },
        {
          required: ['to'],
          additionalProperties: false,
        },
      ),
    },
    { permission: 'confirm' },
  ),
  mock: found({ name: 'mock', implementation: { type: 'mock', mock_response: { price: 3, tags: ['a', 'b'] } } }),
  wipe: found({ name: 'wipe', permission: 'dangerous' }),
  off: found({ name: 'off' }, { enabled: false }),
  outside: found({
    name: 'outside',
    implementation: { type: 'internal', handler: 'source:web' },
    output_schema: object({ text: { type: 'string' } }),
  }),
  upper: found({
    name: 'upper',
    parameters: object({ text: { type: 'string' } }),
    output_schema: object({ text: { type: 'string' } }),
  }),
  many: found({ name: 'many', parameters: object({ names: { type: 'array', items: { type: 'string' } } }) }),
};
const lookup: LookUpTool = (name, version) =>
  version === undefined || tools[name]?.spec.version === version ? tools[name] : undefined;

const build = (...nodes: readonly Readonly<Record<string, unknown>>[]) => buildPlan({ nodes }, lookup);
const from = (text: string) => ({ $from: text });
const refusal = (message: RegExp, ...nodes: readonly Readonly<Record<string, unknown>>[]) => {
  assert.throws(() => build(...nodes), { name: 'InvalidInput', message });
};

const london = { id: 'w', tool: 'weather', arguments: { city: 'London' } };

describe('buildPlan', () => {
  test('R1.09 buildPlan makes a DAG of tool calls whose edges are the data dependencies', () => {
    const { plan } = build(
      { id: 'k', tool: 'convert', arguments: { celsius: from('w.temperature'), unit: 'K' } },
      london,
      {
        id: 'm',
        tool: 'mail',
        arguments: { to: 'x@example.org', body: { all: [from('k.value'), from('w')] } },
        after: ['k'],
      },
      { id: 'n', tool: 'mock', after: ['m'] },
    );

    assert.deepEqual(plan.edges, [
      { from: 'w', to: 'k', kind: 'data' },
      { from: 'k', to: 'm', kind: 'data' },
      { from: 'w', to: 'm', kind: 'data' },
      { from: 'm', to: 'n', kind: 'order' },
    ]);
    assert.deepEqual(
      plan.nodes.map(({ id, after }) => [id, after]),
      [
        ['k', ['w']],
        ['w', []],
        ['m', ['k', 'w']],
        ['n', ['m']],
      ],
    );
  });

  test('buildPlan fixes version, time limit and policy, and lists what a run needs', () => {
    const { plan, needs, durations } = build(
      london,
      { id: 'm', tool: 'mail', arguments: { to: 'a' }, on_failure: { policy: 'retry' }, timeout_seconds: 1.5 },
      { id: 'd1', tool: 'wipe' },
      { id: 'd2', tool: 'wipe', on_failure: { policy: 'skip', downstream: 'run' } },
    );

    assert.equal(plan.nodes[0]?.version, '1.2.0');
    assert.deepEqual(plan.nodes[0]?.on_failure, { policy: 'stop', downstream: 'skip' });
    assert.equal(plan.nodes[1]?.timeout_seconds, 2);
    // The tool's own 60 s begin with its work; waiting for a turn is on top.
    assert.equal(plan.nodes[0]?.timeout_seconds, 90);
    assert.deepEqual(plan.nodes[1]?.on_failure, { policy: 'retry', attempts: 3, then: 'stop', downstream: 'skip' });
    assert.deepEqual(
      plan.nodes.map(({ confirm }) => confirm),
      [false, true, false, false],
    );
    assert.deepEqual(needs, [
      { tool: 'mail', version: 'unversioned', permission: 'confirm', nodes: ['m'] },
      { tool: 'wipe', version: 'unversioned', permission: 'dangerous', nodes: ['d1', 'd2'] },
    ]);
    assert.equal(plan.permission, 'dangerous');
    assert.deepEqual(durations, { w: 120 });
  });

  test('equal plans have equal ids, different plans different ones', () => {
    const reordered = { arguments: { city: 'London' }, tool: 'weather', id: 'w' };

    assert.equal(build(london).plan.plan_id, build(reordered).plan.plan_id);
    assert.notEqual(build(london).plan.plan_id, build({ ...london, arguments: { city: 'Paris' } }).plan.plan_id);
    assert.match(build(london).plan.plan_id, /^[0-9a-f]{64}$/);
  });

  test('buildPlan follows arrays, references, alternatives and quoted names in the output schema', () => {
    for (const text of [
      'w.days[0].name',
      'w.days.3.name',
      'w["text"]',
      'w.source.url',
      'm.tags[1]',
      '$input.any.thing',
    ])
      assert.doesNotThrow(
        () => build(london, { id: 'm', tool: 'mock' }, { id: 'x', tool: 'weather', arguments: { city: from(text) } }),
        text,
      );
  });

  test('the input of a run is validated by its schema', () => {
    const plan = (city: string) => ({
      input_schema: object({ town: { type: 'string' } }),
      nodes: [{ id: 'w', tool: 'weather', arguments: { city: from(city) } }],
    });

    assert.doesNotThrow(() => buildPlan(plan('$input.town'), lookup));
    assert.throws(() => buildPlan(plan('$input.village'), lookup), /takes \$input.village, which .* has town/);
  });

  test('node ids may be in any script', () => {
    const { plan } = build(
      { ...london, id: '天气' },
      { id: 'é1', tool: 'weather', arguments: { city: from('天气.text') } },
    );
    assert.equal(plan.edges[0]?.from, '天气');
  });

  const dag = (edges: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(edges).map(([id, after]) => ({ id, tool: 'mock', after }));
  test('a tool that asks or needs a grant is asked about, with the source’s name, when its input came from a source', () => {
    const { plan } = buildPlan(
      {
        nodes: [
          { id: 'o', tool: 'outside' },
          { id: 'u', tool: 'upper', arguments: { text: from('o.text') } },
          { id: 'm', tool: 'mail', arguments: { to: 'ann@example.org', body: { quote: [from('u.text')] } } },
          { id: 'x', tool: 'wipe', arguments: { what: from('o.text') } },
          { id: 'own', tool: 'wipe', arguments: { what: 'all' } },
          { id: 'after', tool: 'wipe', after: ['o'] },
        ],
      },
      lookup,
    );

    assert.deepEqual(
      plan.nodes.map(({ id, confirm, from_upstream }) => [id, confirm, from_upstream]),
      [
        ['o', false, undefined],
        ['u', false, undefined],
        ['m', true, ['body.quote[0]']],
        ['x', true, ['what']],
        ['own', false, undefined],
        ['after', false, undefined],
      ],
    );
  });

  const refusals: readonly (readonly [string, RegExp, ...Readonly<Record<string, unknown>>[]])[] = [
    ['a cycle, naming its path', /cycle: a -> b -> c -> a/, ...dag({ a: ['c'], b: ['a'], c: ['b'] })],
    [
      'a cycle through references',
      /cycle: a -> b -> a/,
      { id: 'a', tool: 'many', arguments: { names: [from('b.x')] } },
      { id: 'b', tool: 'many', arguments: { names: from('a.y') } },
    ],
    ['an unknown tool', /node a uses nothing, which is not a known tool/, { id: 'a', tool: 'nothing' }],
    ['an unknown version', /node w uses weather@9.0.0, which is not/, { ...london, version: '9.0.0' }],
    ['a disabled tool', /node a uses off, which is disabled; enable it/, { id: 'a', tool: 'off' }],
    ['a duplicate id', /two nodes are called w; rename one/, london, london],
    ['a dependency that is not there', /node w comes after z, which is not/, { ...london, after: ['z'] }],
    [
      'a reference to no node',
      /takes z.text from z, which is not a node/,
      { ...london, arguments: { city: from('z.text') } },
    ],
    ['a reference to itself', /takes w.text from the node itself/, { ...london, arguments: { city: from('w.text') } }],
    [
      'a reference to a missing path',
      /argument city of node x takes w.colour, which the output schema does not have; w has temperature/,
      london,
      { id: 'x', tool: 'weather', arguments: { city: from('w.colour') } },
    ],
    [
      'a reference past the end of a scalar',
      /takes w.text.more, which/,
      london,
      { id: 'x', tool: 'weather', arguments: { city: from('w.text.more') } },
    ],
    [
      'a path that a mock does not answer',
      /takes m.cost, which/,
      { id: 'm', tool: 'mock' },
      { id: 'x', tool: 'many', arguments: { names: [from('m.cost')] } },
    ],
    [
      'a type that does not fit',
      /argument celsius of node k takes w.text, which is string where number is wanted/,
      london,
      { id: 'k', tool: 'convert', arguments: { celsius: from('w.text') } },
    ],
    [
      'items that do not fit',
      /argument names of node x takes w.days, which has items each of which is object where string/,
      london,
      { id: 'x', tool: 'many', arguments: { names: from('w.days') } },
    ],
    [
      'a value outside an enumeration',
      /argument unit of node k "C" is "C" where "F" or "K" is wanted/,
      london,
      { id: 'k', tool: 'convert', arguments: { celsius: from('w.temperature'), unit: 'C' } },
    ],
    [
      'a missing argument beside a reference',
      /argument to of node m is required/,
      london,
      { id: 'm', tool: 'mail', arguments: { body: from('w') } },
    ],
    [
      'an unknown argument beside a reference',
      /argument cc of node m is not one of to, body, when/,
      london,
      { id: 'm', tool: 'mail', arguments: { to: 'a', cc: 'b', body: from('w') } },
    ],
    [
      'arguments that break the schema',
      /arguments of node w do not fit weather: city must NOT have fewer/,
      { ...london, arguments: { city: '' } },
    ],
    [
      'a malformed reference',
      /refers to "w..text"; write a node/,
      london,
      { ...london, id: 'x', arguments: { city: from('w..text') } },
    ],
    [
      'a reference with company',
      /must be {"\$from": "node.path"} and nothing else/,
      { ...london, arguments: { city: { $from: 'a', or: 1 } } },
    ],
    ['no nodes', /nodes .*/, ...[]],
    ['an id with a dot', /nodes.0.id must be 1 to 64 letters/, { ...london, id: 'a.b' }],
    ['an unknown field', /unknown field nodes.0.retries/, { ...london, retries: 3 }],
    [
      'attempts without retry',
      /unknown field nodes.0.on_failure.attempts/,
      { ...london, on_failure: { policy: 'skip', attempts: 2 } },
    ],
    ['eleven attempts', /nodes.0.on_failure.attempts/, { ...london, on_failure: { policy: 'retry', attempts: 11 } }],
    [
      '201 nodes',
      /201 nodes, at most 200 are allowed/,
      ...Array.from({ length: 201 }, (_, n) => ({ id: `n${n}`, tool: 'mock' })),
    ],
  ];
  for (const [what, message, ...nodes] of refusals) test(`refuses ${what}`, () => refusal(message, ...nodes));
});
