import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { costTable, operations } from '../../infra/cost.ts';

const totalOf = (what: string): number =>
  Object.values(operations[what] ?? {}).reduce((sum, cost) => sum + cost, 0) * 1e6;

describe('npm run cost', () => {
  test('computes the table that the README shows', async () => {
    const readme = await readFile(new URL('../../infra/README.md', import.meta.url), 'utf8');

    assert.ok(readme.includes(costTable()));
  });

  test('a million lookups at the edge cost under two dollars, and more at the api', () => {
    assert.ok(totalOf('lookup, answered at the edge') > 1.6 && totalOf('lookup, answered at the edge') < 2);
    assert.ok(totalOf('lookup, answered by the api') > totalOf('lookup, answered at the edge'));
  });

  test('Express runs of short plans cost less than Standard ones', () => {
    assert.ok(totalOf('run of a plan of 3 steps, Express') < totalOf('run of a plan of 3 steps, Standard') / 2);
  });
});
