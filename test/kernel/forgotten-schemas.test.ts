import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { checkSchema, validatorFor } from '../../shared/kernel/json-schema.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Of schemas that were checked and compiled, and of which nobody keeps anything; a value that only the schema has. */
const compiled = (count: number): readonly WeakRef<object>[] =>
  Array.from({ length: count }, (_, n) => {
    const value = { n };
    const schema = { type: 'object', properties: { a: { enum: [value, 'other'] } }, required: ['a'] };
    checkSchema(schema, 'parameters');
    const validate = validatorFor(schema);
    assert.deepEqual([validate({ a: { n } }).issues.length, validate({ a: { n: -1 } }).issues.length], [0, 1]);
    return new WeakRef(value);
  });

test('a compiled schema is garbage-collected with its validator', async () => {
  const values = compiled(100);
  // Until the end of a turn a value that was looked at stays.
  await wait(1);
  collectGarbage();

  const kept = values.filter((value) => value.deref() !== undefined).length;
  // Where the latest one lies may still be named by the machine's own stack.
  assert.ok(kept <= 5, `${kept} of 100 are kept`);
});
