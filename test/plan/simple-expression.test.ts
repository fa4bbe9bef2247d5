import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import jsonata from 'jsonata';
import { simpleExpression, UNSURE } from '../../shared/plan/engine/simple-expression.ts';

const value = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ max: 5 }), fc.constantFrom('ok', 'no', '')),
  node: fc.oneof(
    { weight: 2, arbitrary: tie('leaf') },
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 's'), tie('node'), { maxKeys: 3 }),
  ),
})).node;

const path = fc
  .array(fc.constantFrom('.a', '.b', '.s', '.a[0]', '.b[1]'), { maxLength: 4 })
  .map((steps) => `$v${steps.join('')}`);
const comparison = fc
  .tuple(path, fc.constantFrom('=', '!='), fc.constantFrom('ok', '', 'a b'))
  .map(([left, operator, text]) => `${left} ${operator} '${text}'`);
const expression = fc.oneof(
  path,
  fc.array(comparison, { minLength: 1, maxLength: 3 }).map((list) => list.join(' or ')),
);

test('simple expressions evaluate as in JSONata, or are left to it', async () => {
  let sure = 0;
  await fc.assert(
    fc.asyncProperty(expression, value, async (source, v) => {
      const simple = simpleExpression(source);
      assert.ok(simple, source);
      const found = simple((name) => (name === 'v' ? v : undefined));
      if (found === UNSURE) return;
      sure++;
      const expected: unknown = await jsonata(source).evaluate(undefined, { v });
      assert.deepEqual(JSON.stringify(found), JSON.stringify(expected), source);
    }),
    { numRuns: 1500 },
  );
  assert.ok(sure > 500, `${sure} of 1500 were decided`);
});

test('expressions that are not simple are left to JSONata', () => {
  for (const source of [
    '1',
    '$v + 1',
    'a.b',
    '$f(1)',
    '$v[0].a',
    '$v.a[-1]',
    '$v.a[]',
    '$',
    '$$.a',
    "$v.a = 'x' and $v.b = 'y'",
    '$v.`a b`',
    "$v.a = 'it\\'s'",
  ])
    assert.equal(simpleExpression(source), undefined, source);
});
