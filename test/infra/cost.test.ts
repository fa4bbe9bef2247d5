import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { boundsOf, CALL_PARTITIONS, capacityTable } from '../../infra/capacity.ts';
import { stages } from '../../infra/config.ts';
import { costTable, priceOperations, profiles } from '../../infra/cost.ts';
import { callShards } from '../../shared/kernel/item-keys.ts';

const readme = await readFile(new URL('../../infra/README.md', import.meta.url), 'utf8');

const totalOf = (what: string, profile: keyof typeof profiles = 'typical'): number =>
  Object.values(priceOperations(profiles[profile])[what] ?? {}).reduce((sum, cost) => sum + cost, 0) * 1e6;

describe('npm run cost', () => {
  test('npm run cost computes the table that the README shows', () => {
    assert.ok(readme.includes(costTable()));
  });

  test('a typical call costs at most five dollars a million, with firewall, fold, logs and traces', () => {
    const { Firewall, Logs, Traces, 'Table, folded': folded } = priceOperations(profiles.typical)['tool call'] ?? {};

    assert.ok(Firewall && Logs && Traces && folded);
    assert.ok(totalOf('tool call') <= 5, String(totalOf('tool call')));
    assert.ok(totalOf('tool call', 'best') < totalOf('tool call'));
    assert.ok(totalOf('tool call', 'worst') > 2 * totalOf('tool call'));
  });

  test('a lookup costs less at the edge than at the api', () => {
    assert.ok(totalOf('lookup, answered by the api') > totalOf('lookup, answered at the edge'));
  });

  test('Express runs of short plans cost less than Standard ones', () => {
    assert.ok(totalOf('run of a plan of 3 steps, Express') < totalOf('run of a plan of 3 steps, Standard') / 2);
  });
});

describe('first bottleneck', () => {
  test('the first bottleneck is computed from the settings, and the README shows it for prod', () => {
    assert.ok(readme.includes(capacityTable(stages.prod)));
    const rate = (apiConcurrency: number) =>
      boundsOf({ ...stages.prod, apiConcurrency }).find(({ what }) => what === 'all calls')?.perSecond ?? 0;
    assert.equal(rate(400), 2 * rate(200));
  });

  test('the cost model knows the number of partitions that calls are spread over', () => {
    assert.equal(callShards('t', '2026-11-05T12').length, CALL_PARTITIONS);
  });
});
