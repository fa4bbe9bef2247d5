import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { type CachedScore, cacheKey, createScoreCache, NO_REFERENCE } from '../../shared/iqa/score-cache.ts';
import { sha256 } from '../../shared/kernel/canonical-json.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { recordingLog } from '../support/recording-log.ts';

const identity = (image: string, over = {}) => ({
  image: sha256(image),
  tool: 'ssim',
  digest: 'd1',
  reference: NO_REFERENCE,
  ...over,
});
const score = (raw: number): CachedScore => ({
  raw,
  normalized: 4,
  warnings: [],
  width: 2,
  height: 1,
  format: 'png',
});

describe('the score cache', () => {
  test('R0.12 the cache key has the digests of the picture, the tool and the reference', () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

    const key = cacheKey(identity('picture'));

    assert.equal(NO_REFERENCE, empty);
    assert.equal(key, `${sha256('picture')}+ssim@d1+${empty}`);
  });

  test('R0.12 another picture, tool, definition or reference is another cache entry', async () => {
    const cache = createScoreCache({ log: recordingLog() });
    await cache.put('t', identity('a'), score(0.5));

    assert.equal((await cache.get('t', identity('a')))?.raw, 0.5);
    for (const other of [
      identity('b'),
      identity('a', { tool: 'vif' }),
      identity('a', { digest: 'd2' }),
      identity('a', { reference: sha256('r') }),
    ]) {
      assert.equal(await cache.get('t', other), undefined);
    }
    assert.equal(await cache.get('another tenant', identity('a')), undefined);
  });

  test('R0.14 cached raw and normalised scores are returned as stored', async () => {
    const cache = createScoreCache({ log: recordingLog() });
    await cache.put('t', identity('a'), { ...score(-0.25), normalized: 1.5 });

    const { raw, normalized } = (await cache.get('t', identity('a'))) ?? assert.fail();

    assert.deepEqual([raw, normalized], [-0.25, 1.5]);
  });

  test('R0.15 beyond 1000 cached scores the least recently used is evicted, with a log line', async () => {
    const log = recordingLog();
    const cache = createScoreCache({ log });
    for (let i = 0; i < 1000; i++) await cache.put('t', identity(`p${i}`), score(i));
    await cache.get('t', identity('p0'));

    await cache.put('t', identity('one more'), score(1));

    assert.equal((await cache.get('t', identity('p0')))?.raw, 0);
    assert.equal(await cache.get('t', identity('p1')), undefined);
    assert.equal(cache.statistics().size, 1000);
    assert.equal(cache.statistics().evictions, 1);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0]?.message ?? '', /evicted/);
    assert.match(JSON.stringify(log.lines[0]?.fields), new RegExp(sha256('p1')));
  });

  test('R0.15 hits and misses are counted into a hit rate', async () => {
    const cache = createScoreCache({ log: recordingLog() });
    assert.equal(cache.statistics().hit_rate, 0);
    await cache.put('t', identity('a'), score(1));

    for (const image of ['a', 'a', 'a', 'b']) await cache.get('t', identity(image));

    const { hits, misses, hit_rate, limit } = cache.statistics();
    assert.deepEqual({ hits, misses, hit_rate, limit }, { hits: 3, misses: 1, hit_rate: 0.75, limit: 1000 });
  });

  test('R0.13 a second machine hits scores that the first has cached', async () => {
    const table = memoryTable({ now: () => 0 });
    const log = recordingLog();
    await createScoreCache({ table, log }).put('t', identity('a'), score(0.75));

    const second = createScoreCache({ table, log });

    assert.deepEqual(await second.get('t', identity('a')), score(0.75));
    assert.equal(await second.get('other', identity('a')), undefined);
  });

  test('a cache store that fails costs a warning, not the score', async () => {
    const log = recordingLog();
    const broken = {
      get: () => Promise.reject(new Error('no connection')),
      write: () => Promise.reject(new Error('no connection')),
    } as unknown as Table;
    const cache = createScoreCache({ table: broken, log });

    assert.equal(await cache.get('t', identity('a')), undefined);
    await cache.put('t', identity('a'), score(1));

    assert.equal((await cache.get('t', identity('a')))?.raw, 1);
    assert.deepEqual(
      log.lines.map(({ level }) => level),
      ['warn', 'warn'],
    );
  });
});
