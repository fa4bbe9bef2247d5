import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assign } from '../../shared/decide/arguments/assign.ts';

const total = (scores: readonly (readonly number[])[], columns: readonly number[]): number =>
  columns.reduce((sum, column, row) => sum + (column < 0 ? 0 : (scores[row]?.[column] ?? 0)), 0);

const best = (scores: readonly (readonly number[])[], row = 0, taken: readonly number[] = []): number => {
  const own = scores[row];
  if (own === undefined) return 0;
  const without = best(scores, row + 1, taken);
  return own.reduce(
    (most, score, column) =>
      score <= 0 || taken.includes(column) ? most : Math.max(most, score + best(scores, row + 1, [...taken, column])),
    without,
  );
};

describe('optimal assignment', () => {
  test('an assignment is the best there is, uses no column twice and takes nothing worthless', () => {
    const matrix = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 5 })).chain(([rows, columns]) =>
      fc.array(fc.array(fc.integer({ min: -2, max: 9 }), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(matrix, (scores) => {
        const columns = assign(scores);

        const used = columns.filter((column) => column >= 0);
        assert.equal(new Set(used).size, used.length);
        assert.ok(columns.every((column, row) => column < 0 || (scores[row]?.[column] ?? 0) > 0));
        assert.equal(total(scores, columns), best(scores));
      }),
    );
  });

  test('an assignment of nothing is empty', () => {
    assert.deepEqual(assign([]), []);
    assert.deepEqual(assign([[], []]), [-1, -1]);
  });
});
