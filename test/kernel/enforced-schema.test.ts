import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import * as z from 'zod';
import { enforcedSchema, unenforcedPatterns } from '../../shared/kernel/enforced-schema.ts';
import type { JsonSchema } from '../../shared/kernel/json.ts';
import { checkSchema, validatorFor } from '../../shared/kernel/json-schema.ts';
import { arbitraryParameters } from '../providers/support/arbitrary-schema.ts';
import { randomOf, sample } from '../providers/support/sample.ts';
import { tries } from '../support/sampling.ts';

const LOOKAHEAD = '^(?=x).+$';

const object = (schema: Record<string, unknown>) => ({ type: 'object', ...schema });
const issues = (schema: Record<string, unknown>, value: unknown) =>
  validatorFor(schema)(value).issues.map(({ path, message }) => `${path} ${message}`);

describe('patterns in schemas', () => {
  test('each pattern is enforced independently of those compiled before', () => {
    const schema = object({ properties: { a: { pattern: '^a+$' }, b: { pattern: '^b+$' } } });

    assert.deepEqual(issues(schema, { a: 'aa', b: 'bb' }), []);
    assert.deepEqual(issues(schema, { a: 'bb', b: 'bb' }), ['a must match pattern "^a+$"']);
    assert.deepEqual(issues(object({ properties: { a: { pattern: '^c$' } } }), { a: 'aa' }), [
      'a must match pattern "^c$"',
    ]);
  });

  test('a pattern has ECMA-262 syntax', () => {
    const schema = object({ properties: { a: { pattern: '^\\u0041\\/(?<year>\\d{4})$' } } });

    assert.deepEqual(issues(schema, { a: 'A/2026' }), []);
    assert.equal(issues(schema, { a: 'B/2026' }).length, 1);
    assert.deepEqual(unenforcedPatterns(schema), []);
  });

  test('a pattern that RE2 cannot run is kept, reported and not enforced, wherever it is', () => {
    const within = (part: unknown) => object({ properties: { a: part } });
    const text = { type: 'string', pattern: LOOKAHEAD };
    const parts = [
      text,
      { not: text },
      { oneOf: [text, { type: 'string' }] },
      { if: text, then: { const: 'other' } },
      { type: 'array', contains: text, maxContains: 1 },
      { type: 'object', patternProperties: { [LOOKAHEAD]: { type: 'number' } }, additionalProperties: false },
      { type: 'object', patternProperties: { [LOOKAHEAD]: true }, unevaluatedProperties: false },
      { not: { $ref: '#/$defs/Text' }, $defs: {} },
    ];
    const values = ['y', 'y', 'y', 'y', ['y', 'y'], { y: 'text' }, { y: 'text' }, 'y'];

    for (const [index, part] of parts.entries()) {
      const schema = { ...within(part), $defs: { Text: text } };
      assert.ok(unenforcedPatterns(schema).length > 0, JSON.stringify(part));
      assert.doesNotThrow(() => checkSchema(schema, 'parameters'));
      assert.deepEqual(issues(schema, { a: values[index] }), [], JSON.stringify(part));
    }
    assert.deepEqual(unenforcedPatterns(within(text)), [{ path: '/properties/a/pattern', pattern: LOOKAHEAD }]);
  });

  test('other keywords beside an unsupported pattern are still enforced', () => {
    const schema = object({
      properties: { a: { type: 'string', pattern: LOOKAHEAD, maxLength: 2 } },
      required: ['a'],
      additionalProperties: false,
    });

    assert.deepEqual(issues(schema, { a: 'long' }), ['a must NOT have more than 2 characters']);
    assert.deepEqual(issues(schema, { b: 1 }), ['a is required', 'b is not a known property']);
  });
});

describe('schemas of other tools', () => {
  test('every string format as zod writes it is accepted', () => {
    const formats = z.object({
      duration: z.iso.duration(),
      hostname: z.hostname(),
      email: z.email(),
      uuid: z.uuid(),
      url: z.url(),
      datetime: z.iso.datetime(),
      ipv6: z.ipv6(),
      emoji: z.emoji(),
      base64: z.base64(),
      nanoid: z.nanoid(),
    });
    assert.doesNotThrow(() => checkSchema(z.toJSONSchema(formats), 'parameters'));
  });

  test('a schema that refers to itself by "#" is enforced at every level', () => {
    const schema = object({ properties: { child: { $ref: '#' } }, additionalProperties: false });

    assert.deepEqual(issues(schema, { child: { child: {} } }), []);
    assert.deepEqual(issues(schema, { child: { child: { x: 1 } } }), ['child.child.x is not a known property']);
  });

  test('two tools may use one $id for different schemas', () => {
    for (const type of ['string', 'number'])
      assert.deepEqual(
        issues(object({ $id: 'https://example.org/a', properties: { a: { type } } }), { a: true }).length,
        1,
      );
  });

  test('X.19 resources inside a schema are found by their $id, and resolve their own references', () => {
    const size = { $id: 'https://ex.org/size', $defs: { whole: { type: 'integer' } }, $ref: '#/$defs/whole' };
    const nothing = { $id: 'https://ex.org/nothing', enum: [] };
    const properties = { n: { $ref: 'https://ex.org/size' }, no: { $ref: 'nothing' } };
    const schema = object({ $id: 'https://ex.org/root', properties, $defs: { size, nothing } });

    assert.deepEqual(issues(schema, { n: 1 }), []);
    assert.deepEqual(issues(schema, { n: 'x' }), ['n must be integer']);
    assert.equal(issues(schema, { no: 1 }).length, 1);
    const tree = { $id: 'urn:example:tree', properties: { left: { $ref: 'urn:example:tree' } }, maxProperties: 1 };
    assert.deepEqual(issues(object(tree), { left: { left: {} } }), []);
    assert.equal(issues(object(tree), { left: { left: { a: 1, b: 2 } } }).length, 1);
  });

  test('no schema can reference the definitions of another', () => {
    const named = { $id: 'https://ex.org/theirs', type: 'integer' };
    checkSchema(object({ $defs: { named } }), 'parameters');
    const other = object({
      properties: { n: { $ref: 'https://ex.org/theirs' } },
      $defs: { named: { type: 'string' } },
    });

    assert.throws(() => checkSchema(other, 'parameters'), /can't resolve reference https:\/\/ex.org\/theirs/);
  });

  test('unknown keywords are annotations', () => {
    const schema = object({ $async: true, properties: { a: { id: 'a', nullable: true, format: 'colour', 'x-y': 1 } } });
    assert.deepEqual(issues(schema, { a: 1 }), []);
  });

  test('a schema that recurses without end is refused for a value, without a crash', () => {
    const schema = object({ allOf: [{ $ref: '#' }] });
    assert.throws(() => validatorFor(schema)({}), { name: 'InvalidInput', message: /refers to itself without an end/ });
  });

  test('X.19 every valid schema is accepted, and agrees with Ajv where all its patterns can run', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true, useDefaults: true });
    formats.default(ajv, { mode: 'fast' });
    const runs = tries(40, 3000);
    let judged = 0;
    fc.assert(
      fc.property(arbitraryParameters, fc.integer(), (parameters, seed) => {
        const { $schema: _, ...plain } = parameters;
        // What refers to nowhere, or to another document, cannot be checked by anyone.
        const isClosed = !/Missing|example\.org/.test(JSON.stringify(plain));
        if (!isClosed || !ajv.validateSchema(plain)) return;
        judged += 1;
        const judge = ajv.compile(plain);
        assert.doesNotThrow(() => checkSchema(parameters, 'parameters'));
        const value = sample(parameters, randomOf(seed));
        const found = validatorFor(parameters)(value).issues;
        if (judge(structuredClone(value))) assert.deepEqual(found, []);
        else if (unenforcedPatterns(parameters).length === 0) assert.notDeepEqual(found, []);
      }),
      { numRuns: runs, seed: 6 },
    );
    assert.ok(judged > 0.8 * runs, `${judged} of ${runs}`);
  });
});

describe('alternatives of constants', () => {
  const accepts = (schema: JsonSchema, value: unknown): boolean => validatorFor(schema)(value).issues.length === 0;

  test('alternatives of constants become one enum, whatever annotations they have', () => {
    const schema = { anyOf: [{ const: 'a', title: 'A' }, { const: 2, description: 'two' }, { const: null }] };
    assert.deepEqual(enforcedSchema({ ...schema, allOf: [{ maxLength: 3 }] }), {
      allOf: [{ maxLength: 3 }, { enum: ['a', 2, null] }],
    });
    assert.deepEqual(
      ['a', 2, null, 'b', '2'].map((value) => accepts(schema, value)),
      [true, true, true, false, false],
    );
  });

  test('alternatives of constants are kept where an enum would mean something else', () => {
    const twice = { oneOf: [{ const: 1 }, { const: 1 }, { const: 2 }] };
    assert.deepEqual(enforcedSchema(twice), twice);
    assert.equal(accepts(twice, 1), false);
    const typed = { anyOf: [{ const: 1 }, { type: 'string' }] };
    assert.deepEqual(enforcedSchema(typed), typed);
    const objects = { anyOf: [{ const: { a: 1 } }, { const: { a: 1, b: 2 } }] };
    assert.deepEqual(enforcedSchema(objects), objects);
  });
});
