import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldOf } from '../../metadata/fit/folds.ts';

const DEALS = [0, 1, 2, 3];

test('X.09 versions of a tool and tools of one service are in one fold, however tools are dealt', () => {
  for (const deal of DEALS) {
    assert.equal(foldOf('get_weather__v7', 4, deal), foldOf('get_weather', 4, deal));
    assert.equal(foldOf('Music_3_PlayMedia', 4, deal), foldOf('Music_3_LookupMusic__v2', 4, deal));
  }
});

test('X.09 every deal gives folds of about the same size, and other ones than the deals before', () => {
  const names = Array.from({ length: 400 }, (_, at) => `find_${(Math.imul(at, 0x9e3779b1) >>> 0).toString(36)}`);
  const deals = DEALS.map((deal) => names.map((name) => foldOf(name, 4, deal)));
  for (const folds of deals)
    for (const fold of [0, 1, 2, 3]) assert.ok(Math.abs(folds.filter((each) => each === fold).length - 100) < 60);
  for (const [at, folds] of deals.entries())
    for (const before of deals.slice(0, at)) {
      const same = folds.filter((fold, place) => fold === before[place]).length;
      assert.ok(same < 200, `${same} of 400 tools stay where they were`);
    }
});
