import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convert, restoreArguments } from '../../shared/providers/index.ts';
import { ANTHROPIC_KEYS } from '../../shared/providers/schema/dialect.ts';
import { aTool, toolWith } from './support/tools.ts';

type Entry = Readonly<Record<string, unknown>>;

/** What Gemini is told of one parameter, and what was lost of it. */
function gemini(schema: unknown, more: Entry = {}): { readonly x: unknown; readonly lost: readonly string[] } {
  const { value, warnings } = convert('gemini', [toolWith(schema, more)]);
  const [tool] = value as { functionDeclarations: { parameters: { properties: Entry } }[] }[];
  return { x: tool?.functionDeclarations[0]?.parameters.properties.x, lost: warnings.map(({ message }) => message) };
}

describe('schemas that Gemini does not support are rewritten without changing their meaning', () => {
  for (const [name, schema, expected] of [
    ['const becomes an enum of one', { const: 'red' }, { type: 'string', enum: ['red'] }],
    ['a type list with null becomes nullable', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'several types become alternatives',
      { type: ['string', 'integer'], minimum: 2 },
      { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 2 }] },
    ],
    [
      'exclusive bounds of whole numbers become inclusive',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    [
      'a reference is put in place',
      { $ref: '#/$defs/Name', description: 'Whose' },
      { type: 'string', description: 'Whose', minLength: '1' },
    ],
    [
      'allOf is merged',
      {
        allOf: [
          { type: 'string', minLength: 2 },
          { minLength: 3, maxLength: 9 },
        ],
      },
      { type: 'string', minLength: '3', maxLength: '9' },
    ],
    [
      'oneOf of distinct forms becomes anyOf',
      { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
    ],
    [
      'null among alternatives becomes nullable',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'string', nullable: true },
    ],
    ['an enum of both booleans is a boolean', { enum: [true, false] }, { type: 'boolean' }],
    ['null in an enum becomes nullable', { enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }],
  ] as const) {
    test(name, () => {
      const { x, lost } = gemini(schema, { $defs: { Name: { type: 'string', minLength: 1, description: 'A name' } } });

      assert.deepEqual(x, expected);
      assert.deepEqual(lost, []);
    });
  }

  test('a union discriminated by a constant keeps its meaning', () => {
    const branch = (kind: string, key: string): Entry => ({
      type: 'object',
      properties: { kind: { const: kind }, [key]: { type: 'string' } },
      required: ['kind', key],
    });

    const { x, lost } = gemini({ oneOf: [branch('a', 'one'), branch('b', 'two')] });

    assert.deepEqual(lost, []);
    assert.equal((x as { anyOf: unknown[] }).anyOf.length, 2);
  });
});

describe('what cannot be rewritten is described, with a warning', () => {
  for (const [name, schema, expected, message] of [
    [
      'an exclusive bound of any number',
      { type: 'number', exclusiveMinimum: 0, description: 'Size' },
      { type: 'number', description: 'Size. Greater than 0.', minimum: 0 },
      /exclusiveMinimum/,
    ],
    [
      'an enum of numbers',
      { type: 'integer', enum: [1, 2, 4] },
      { type: 'integer', description: 'One of: 1, 2, 4.', minimum: 1, maximum: 4 },
      /enum/,
    ],
    ['an unknown format', { type: 'string', format: 'uri' }, { type: 'string', description: 'Format: uri.' }, /format/],
    [
      'alternatives of which only one may hold',
      { oneOf: [{ type: 'string' }, { type: 'string', minLength: 3 }] },
      {
        anyOf: [
          { type: 'string', description: 'Exactly one of the alternatives fits.' },
          { type: 'string', minLength: '3' },
        ],
      },
      /oneOf/,
    ],
    [
      'unique items',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'array', description: 'No two items alike.', items: { type: 'string' } },
      /uniqueItems/,
    ],
    [
      'a negation',
      { type: 'string', not: { const: 'x' } },
      { type: 'string', description: 'Must not be {"const":"x"}.' },
      /not/,
    ],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { type: 'object', description: 'Values of further keys: {"type":"integer"}.' },
      /additionalProperties/,
    ],
    [
      'an enum with an empty member',
      { type: 'string', enum: ['', 'a'] },
      { type: 'string', description: 'One of: "", "a".' },
      /enum/,
    ],
    [
      'a reference to nowhere',
      { $ref: 'https://example.org/x.json', type: 'string' },
      { type: 'string', description: 'See https://example.org/x.json.' },
      /cannot be resolved/,
    ],
  ] as const) {
    test(name, () => {
      const { x, lost } = gemini(schema);

      assert.deepEqual(x, expected);
      assert.equal(lost.length, 1);
      assert.match(lost[0] ?? '', message);
    });
  }

  test('a recursive schema is cut where it repeats', () => {
    const tree = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/Tree' } } } };

    const { x, lost } = gemini({ $ref: '#/$defs/Tree' }, { $defs: { Tree: tree } });

    assert.deepEqual(x, {
      type: 'object',
      properties: { kids: { type: 'array', items: { type: 'object', description: 'Of the same form as Tree.' } } },
    });
    assert.match(lost[0] ?? '', /is cut here/);
  });

  test('exponentially growing definitions are cut, not expanded', () => {
    const doubling = {
      properties: (next: Entry): Entry => ({ type: 'object', properties: { a: next, b: next } }),
      oneOf: (next: Entry): Entry => ({ oneOf: [next, { ...next, title: 'again' }] }),
      anyOf: (next: Entry): Entry => ({ anyOf: [next, { type: 'array', items: next }] }),
      allOf: (next: Entry): Entry => ({ allOf: [next, next] }),
    };
    for (const [name, double] of Object.entries(doubling)) {
      const links = Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        index === 39 ? { type: 'string' } : double({ $ref: `#/$defs/d${index + 1}` }),
      ]);
      const tool = toolWith({ $ref: '#/$defs/d0' }, { $defs: Object.fromEntries(links) as Entry });

      for (const provider of ['gemini', 'ollama', 'openrouter', 'openai', 'anthropic']) {
        const { value, left_out } = convert(provider, [tool], { strict: true });

        assert.ok(JSON.stringify(value).length < 2_000_000, `${name} for ${provider}`);
        assert.ok(left_out.every(({ reason }) => /nested deeper/.test(reason)));
      }
    }
  });
});

describe('the root of the parameters', () => {
  const either = aTool({
    parameters: {
      type: 'object',
      properties: { note: { type: 'string' } },
      anyOf: [
        { properties: { key: { type: 'string' } }, required: ['key'] },
        { properties: { base64: { type: 'string' } }, required: ['base64'] },
      ],
    },
  });

  test('alternatives at the root become one set of properties, and the description says which belong together', () => {
    for (const [provider, at] of [
      ['openai', 'function'],
      ['openrouter', 'function'],
      ['anthropic', undefined],
      ['ollama', 'function'],
    ] as const) {
      const [entry] = convert(provider, [either]).value as Entry[];
      const tool = (at ? entry?.[at] : entry) as Entry;
      const schema = (tool.parameters ?? tool.input_schema) as Entry;

      assert.deepEqual(Object.keys(schema.properties as object), ['note', 'key', 'base64']);
      assert.ok(!('anyOf' in schema));
      assert.match(String(tool.description), /Give one of these: \{key\} or \{base64\}\.$/);
    }
  });

  test('MCP gets the schema unchanged', () => {
    const [entry] = convert('mcp', [either]).value as Entry[];

    assert.deepEqual(entry?.inputSchema, either.parameters);
  });

  test('a reference into an inlined definition still resolves', () => {
    const tool = aTool({
      parameters: {
        type: 'object',
        properties: { b: { $ref: '#/allOf/0/properties/a' } },
        allOf: [{ properties: { a: { type: 'string', minLength: 3 } } }],
      },
    });

    const [entry] = convert('openai', [tool]).value as {
      function: { parameters: { properties: Entry; $defs?: Entry } };
    }[];

    const { properties, $defs } = entry?.function.parameters ?? { properties: {} };
    const { $ref } = properties.b as { $ref: string };
    assert.deepEqual($defs?.[$ref.split('/').at(-1) ?? ''], { type: 'string', minLength: 3 });
  });
});

describe('rewriting whole schemas', () => {
  test('arrays get items, keywords with invalid values are dropped, and old tuples are rewritten', () => {
    const { value, warnings } = convert('anthropic', [
      toolWith({ type: 'array', minItems: -1, items: [{ type: 'string' }], additionalItems: false }),
    ]);

    const [entry] = value as { input_schema: { properties: Entry } }[];
    assert.deepEqual(entry?.input_schema.properties.x, {
      type: 'array',
      prefixItems: [{ type: 'string' }],
      items: false,
    });
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ['minItems has no valid value and is left out'],
    );
  });

  test('property names that a provider refuses are mapped, and mapped back', () => {
    const tool = aTool({
      parameters: {
        type: 'object',
        properties: { 'größe in px': { type: 'integer' }, ok: { type: 'string' } },
        required: ['größe in px'],
      },
    });

    const { value, warnings } = convert('anthropic', [tool]);

    const [entry] = value as { input_schema: { properties: Entry; required: string[] } }[];
    const [name] = entry?.input_schema.required ?? [];
    assert.match(name ?? '', ANTHROPIC_KEYS);
    assert.equal(warnings[0]?.kind, 'renamed');
    assert.deepEqual(restoreArguments(tool.parameters, { [name ?? '']: 3, ok: 'x' }, ANTHROPIC_KEYS), {
      'größe in px': 3,
      ok: 'x',
    });
  });

  test('a property called __proto__ is a property like any other', () => {
    const parameters = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    ) as Entry;

    for (const provider of ['openai', 'gemini', 'ollama', 'anthropic']) {
      const { value, left_out } = convert(provider, [aTool({ parameters })], { strict: true });

      assert.deepEqual(left_out, []);
      assert.match(JSON.stringify(value), /"__proto__":\{"type":"string"\}/);
    }
  });
});

describe('arguments are restored to the tool’s own form', () => {
  const { parameters } = aTool();

  test('null in arguments means not given, unless the tool’s schema allows null', () => {
    assert.deepEqual(restoreArguments(parameters, { image_key: 'k', metric: 'niqe', resize: null }), {
      image_key: 'k',
      metric: 'niqe',
    });
    const knows = {
      type: 'object',
      properties: { a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'null' }, { type: 'string' }] } },
    };
    assert.deepEqual(restoreArguments(knows, { a: null, b: null }), { a: null, b: null });
    assert.deepEqual(restoreArguments(parameters, { image_key: null, other: null }), { image_key: null, other: null });
  });

  test('enum members in arguments get their original case', () => {
    assert.deepEqual(restoreArguments(parameters, { metric: 'NIQE' }), { metric: 'niqe' });
    assert.deepEqual(restoreArguments(parameters, { metric: 'other' }), { metric: 'other' });
  });

  test('null, names and enum members are also restored inside arrays, alternatives and references', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { $ref: '#/$defs/Item' } } },
      $defs: {
        Item: {
          oneOf: [
            { type: 'object', properties: { kind: { const: 'a' }, size: { type: 'number' } }, required: ['kind'] },
            { type: 'string' },
          ],
        },
      },
    };

    assert.deepEqual(restoreArguments(schema, { list: [{ kind: 'a', size: null }, 'x'] }), {
      list: [{ kind: 'a' }, 'x'],
    });
  });
});
