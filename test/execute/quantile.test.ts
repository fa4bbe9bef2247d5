import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quantileOf } from '../../shared/execute/quantile.ts';

test('a quantile is the value at its rank of the sorted values, in any order and with any number of equals', () => {
  const value = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: 0, max: 3 }).map(Number));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, share) => {
        const sorted = Float64Array.from(values).sort();
        const rank = Math.max(0, Math.ceil(values.length * share) - 1);
        // Of zeros the sign is not told apart.
        assert.equal((quantileOf(Float64Array.from(values), share) ?? Number.NaN) + 0, (sorted[rank] as number) + 0);
      },
    ),
    { numRuns: 2000 },
  );
  assert.equal(quantileOf(new Float64Array(0), 0.5), null);
});

test('a quantile of 100,000 values takes few passes, also where they are sorted, reversed or equal', () => {
  const count = 100_000;
  const orders = [
    (n: number) => n,
    (n: number) => count - n,
    () => 1,
    (n: number) => Math.abs(n - count / 2),
    (n: number) => n % 2,
  ];
  for (const order of orders) {
    let reads = 0;
    const values = new Proxy(
      Float64Array.from({ length: count }, (_, n) => order(n)),
      {
        get: (target, name) => {
          reads++;
          return Reflect.get(target, name, target);
        },
      },
    );
    quantileOf(values, 0.95);
    assert.ok(reads < 20 * count, `${reads} reads`);
  }
});
