import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { validatorFor } from '../../shared/kernel/json-schema.ts';
import { schemaChanges, worstChange } from '../../shared/sources/schema-change.ts';

const object = (properties: object, required: readonly string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const text = { type: 'string' };

const cases: readonly (readonly [string, object, object, string])[] = [
  ['nothing', object({ a: text }), object({ a: text }), 'same'],
  ['the order of keys', { type: 'object', required: [] }, { required: [], type: 'object' }, 'same'],
  ['a description', object({ a: text }), object({ a: { ...text, description: 'A' } }), 'words'],
  ['a new optional field', object({ a: text }), object({ a: text, b: text }), 'additive'],
  ['a new required field', object({ a: text }), object({ a: text, b: text }, ['b']), 'breaking'],
  ['a field that became required', object({ a: text }), object({ a: text }, ['a']), 'breaking'],
  ['a field that became optional', object({ a: text }, ['a']), object({ a: text }), 'additive'],
  ['a removed field', object({ a: text, b: text }), object({ a: text }), 'breaking'],
  ['another type', object({ a: text }), object({ a: { type: 'number' } }), 'breaking'],
  ['a wider type', object({ a: { type: 'integer' } }), object({ a: { type: ['number', 'null'] } }), 'additive'],
  ['a narrower length', object({ a: text }), object({ a: { ...text, maxLength: 5 } }), 'breaking'],
  ['a wider length', object({ a: { ...text, maxLength: 5 } }), object({ a: { ...text, maxLength: 6 } }), 'additive'],
  ['another value of an enum', object({ a: { enum: ['x'] } }), object({ a: { enum: ['x', 'y'] } }), 'additive'],
  ['a lost value of an enum', object({ a: { enum: ['x', 'y'] } }), object({ a: { enum: ['x'] } }), 'breaking'],
  ['a closed object', object({ a: text }), object({ a: text }, [], { additionalProperties: false }), 'breaking'],
  ['another default', object({ a: { ...text, default: 'x' } }), object({ a: { ...text, default: 'y' } }), 'breaking'],
  ['a pattern', object({ a: text }), object({ a: { ...text, pattern: '^x' } }), 'breaking'],
  [
    'a change that cannot be decided',
    object({}, [], { not: { required: ['a'] } }),
    object({}, [], { not: { required: ['b'] } }),
    'breaking',
  ],
];

describe('X.16 changes of an input schema', () => {
  for (const [what, before, after, expected] of cases)
    test(`in an input schema ${what} is ${expected}`, () =>
      assert.equal(worstChange(schemaChanges(before, after)), expected));

  test('an additive schema change accepts every argument valid in the old schema', () => {
    const leaf = fc.oneof(
      fc.record({ type: fc.constant('string') }, { requiredKeys: ['type'] }),
      fc.record(
        { type: fc.constant('string'), maxLength: fc.nat(4), minLength: fc.nat(2) },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constantFrom('integer', 'number'), minimum: fc.integer({ min: -3, max: 3 }), maximum: fc.nat(5) },
        { requiredKeys: ['type'] },
      ),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 1, null), { minLength: 1 }) }),
    );
    const schema = fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), leaf),
        additionalProperties: fc.constantFrom(undefined, false),
      })
      .chain(({ properties, additionalProperties }) =>
        fc.subarray(Object.keys(properties)).map((required) => ({
          type: 'object',
          properties,
          required,
          ...(additionalProperties === undefined ? {} : { additionalProperties }),
        })),
      );
    const value = fc.oneof(fc.constantFrom('', 'a', 'b', 'abc', null), fc.integer({ min: -4, max: 6 }));
    const args = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);
    fc.assert(
      fc.property(schema, schema, fc.array(args, { minLength: 8, maxLength: 8 }), (before, after, values) => {
        const change = worstChange(schemaChanges(before, after));
        if (change === 'breaking') return;
        const [old, now] = [validatorFor(before), validatorFor(after)];
        for (const given of values) {
          // What the old schema does not speak of was never meant by it.
          const known = Object.fromEntries(Object.entries(given).filter(([key]) => key in before.properties));
          if (old(known).issues.length === 0)
            assert.deepEqual(now(known).issues, [], JSON.stringify({ before, after, known }));
        }
      }),
      { numRuns: 400 },
    );
  });
});
