import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitTrees } from '../../metadata/fit/boost.ts';
import { sumOfTrees } from '../../shared/decide/trees.ts';

test('X.09 a decision tree splits by its first feature, then by that of the branch', () => {
  const tree = [0, 0.5, 1, 2, 1, 7, 10, 20, 30, 40];
  assert.deepEqual(
    [
      [0, 2],
      [0, 3],
      [1, 7],
      [1, 8],
    ].map((values) => sumOfTrees([tree], values)),
    [10, 20, 30, 40],
  );
  assert.equal(sumOfTrees([tree, tree], [0, 0]), 20);
});

test('X.09 a decision tree may have more steps on every way than two', () => {
  const at = (feature: number): readonly number[] => [feature, 0.5];
  const tree = [...at(0), ...at(1), ...at(1), ...at(2), ...at(2), ...at(2), ...at(2), 0, 1, 2, 3, 4, 5, 6, 7];
  const sums = [0, 1, 2, 3, 4, 5, 6, 7].map((leaf) => sumOfTrees([tree], [(leaf >> 2) & 1, (leaf >> 1) & 1, leaf & 1]));
  assert.deepEqual(sums, [0, 1, 2, 3, 4, 5, 6, 7]);
});

test('X.09 trees learn that two features together are right and either one is not', () => {
  const judged = Array.from({ length: 400 }, (_, at) => {
    const [one, two] = [at % 2, (at >> 1) % 2];
    return { features: [['one', one] as const, ['two', two] as const], right: one === 1 && two === 1, weight: 1 };
  });
  const { features, trees, start } = fitTrees(judged);
  assert.deepEqual(features, ['one', 'two']);
  const odds = (one: number, two: number): number => start + sumOfTrees(trees, [one, two]);
  assert.ok(odds(1, 1) > 2, `${odds(1, 1)}`);
  for (const [one, two] of [
    [0, 0],
    [0, 1],
    [1, 0],
  ] as const)
    assert.ok(odds(one, two) < -2, `${one} ${two}: ${odds(one, two)}`);
});
