import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { type Recommendation, type RecommendationCandidate, recommend } from '../../shared/insight/recommend.ts';
import { emptyStats } from '../../shared/insight/stats.ts';
import { standingClock } from '../support/clock.ts';
import { assayWith } from '../support/execution.ts';

const DAY = 86_400_000;
const now = Date.parse('2026-11-05T12:00:00Z');

const candidate = (
  name: string,
  ok: number,
  failed: number,
  more: Partial<RecommendationCandidate> = {},
): RecommendationCandidate => ({
  name,
  version: '1.0.0',
  fit: 1,
  stats: { ...emptyStats(name, '1.0.0'), calls: ok + failed, successes: ok, recent: { ok, failed, at: now } },
  ...more,
});
const none = { whitelist: [], blacklist: [] };
const ranked = (candidates: readonly RecommendationCandidate[], at = now) =>
  recommend(candidates, none, at, 10).map(({ tool }) => tool);

describe('recommendations', () => {
  test('R1.27 a recommendation rises with success, speed, feedback and fit', () => {
    const fast = { ...emptyStats('x', '1.0.0'), recent: { ok: 10, failed: 0, at: now }, histogram: { '100': 1 } };
    const slow = { ...fast, histogram: { '800': 1 } };

    assert.deepEqual(ranked([candidate('poor', 5, 5), candidate('good', 10, 0)]), ['good', 'poor']);
    assert.deepEqual(ranked([candidate('slow', 0, 0, { stats: slow }), candidate('fast', 0, 0, { stats: fast })]), [
      'fast',
      'slow',
    ]);
    const [liked, disliked] = [
      { count: 9, sum: 45 },
      { count: 9, sum: 9 },
    ];
    assert.deepEqual(
      ranked([candidate('disliked', 5, 0, { ratings: disliked }), candidate('liked', 5, 0, { ratings: liked })]),
      ['liked', 'disliked'],
    );
    assert.deepEqual(ranked([candidate('far', 9, 0, { fit: 0.5 }), candidate('near', 9, 0)]), ['near', 'far']);
  });

  test('R1.27 a few successful calls do not rank high, and a tool never called is not ranked last', () => {
    const order = ranked([candidate('lucky', 2, 0), candidate('proven', 95, 5), candidate('unknown', 0, 0)]);

    assert.deepEqual(order, ['proven', 'lucky', 'unknown']);
  });

  test('R1.27 a recommendation gives old calls less weight', () => {
    const was = candidate('was', 40, 0);
    const is = candidate('is', 0, 0, {
      stats: { ...emptyStats('is', '1.0.0'), recent: { ok: 10, failed: 0, at: now + 90 * DAY } },
    });

    assert.deepEqual(ranked([was, is]), ['was', 'is']);
    assert.deepEqual(ranked([was, is], now + 90 * DAY), ['is', 'was']);
  });

  test('R1.27 a recommendation explains its score by its parts', () => {
    const [best] = recommend([candidate('good', 10, 0, { ratings: { count: 1, sum: 5 } })], none, now, 10);

    assert.ok(best);
    const { fit, success, speed, feedback } = best.parts;
    assert.ok(Math.abs(best.score - fit * success * speed * feedback) < 0.001);
    assert.deepEqual(best.why, ['fits', '10 of 10 calls succeeded', 'rated 5 of 5 by 1']);
  });
});

/** Tools that work or fail as told, on a clock that is moved by hand. */
const lab = async () => {
  const clock = standingClock();
  const broken = new Set<string>();
  const tool = (name: string) => async () => (broken.has(name) ? Promise.reject(new Error('broken')) : 'fine');
  const names = ['alpha', 'beta', 'gamma'];
  const functions = Object.fromEntries(names.map((name) => [name, tool(name)]));
  const made = await assayWith(functions, { clock, table: memoryTable({ now: clock.now }) });
  const recommended = async (query = '') =>
    (await made.json<{ recommendations: Recommendation[] }>('GET', `/v1/recommendations${query}`)).body.recommendations;
  const order = async () => (await recommended()).map(({ tool: name }) => name);
  const blacklist = async () =>
    (
      await made.json<{ entries: { name: string; source: string; reason: string; at: string; trial_at?: string }[] }>(
        'GET',
        '/v1/lists/blacklist',
      )
    ).body.entries;
  const events = async () => {
    const answer = await made.request('GET', '/v1/events', undefined, undefined, { accept: 'application/json' });
    const { events: all } = (await answer.json()) as { events: { type: string; tool: string }[] };
    return all.filter(({ type }) => type !== 'call-failed' && type !== 'tool-registered').map(({ type }) => type);
  };
  const fail = async (name: string, times: number) => {
    broken.add(name);
    for (let count = 0; count < times; count++) await made.invoke(name, {});
  };
  const work = async (name: string, times: number) => {
    broken.delete(name);
    for (let count = 0; count < times; count++) await made.invoke(name, {});
  };
  return { ...made, clock, recommended, order, blacklist, events, fail, work };
};

describe('whitelist and blacklist', () => {
  test('R1.28 a tool that fails five times in a row is blacklisted, is tried again later and leaves the list on success', async () => {
    const { clock, order, recommended, blacklist, events, fail, work } = await lab();
    await work('beta', 3);
    await fail('beta', 4);
    assert.equal((await order()).includes('beta'), true, 'four are not enough');
    await fail('beta', 1);

    const [entry] = await blacklist();
    assert.deepEqual(
      [entry?.name, entry?.source, entry?.reason, entry?.at],
      ['beta', 'automatic', 'failed 5 times in a row', '2026-11-05T12:00:00.000Z'],
    );
    assert.equal((await order()).includes('beta'), false);
    await work('beta', 1);
    assert.equal((await order()).includes('beta'), false, 'it waits for its trial');

    clock.move(5 * 60_000);
    assert.equal((await recommended()).find(({ tool }) => tool === 'beta')?.trial, true);
    await fail('beta', 1);
    assert.equal((await order()).includes('beta'), false, 'the trial failed');
    clock.move(5 * 60_000);
    assert.equal((await order()).includes('beta'), false, 'and the next one is later');
    clock.move(5 * 60_000);
    await work('beta', 1);
    assert.deepEqual(await blacklist(), []);
    assert.equal((await order()).includes('beta'), true);
    assert.deepEqual(await events(), ['tool-blacklisted', 'tool-blacklisted', 'tool-reinstated']);
  });

  test('R1.28 a tool whose success rate falls below the floor is blacklisted without five failures in a row', async () => {
    const { blacklist, fail, work } = await lab();
    for (let round = 0; round < 8; round++) {
      await work('alpha', 1);
      await fail('alpha', 2);
    }

    assert.match((await blacklist())[0]?.reason ?? '', /^only 35 % of its recent calls succeeded; the floor is 40 %$/);
  });

  test('R1.28 errors of the caller do not count as failures of the tool', async () => {
    const { json, invoke, blacklist } = await assayWith({
      picky: async () => Promise.reject(Object.assign(new Error('no such picture'), { name: 'NotFound' })),
    }).then((made) => ({
      ...made,
      blacklist: async () => (await made.json<{ entries: unknown[] }>('GET', '/v1/lists/blacklist')).body.entries,
    }));
    for (let count = 0; count < 12; count++) await invoke('picky', {});

    assert.deepEqual(await blacklist(), []);
    assert.equal((await json<{ failures: number }>('GET', '/v1/tools/picky/stats')).body.failures, 12);
  });

  test('R1.28 a manual blacklist entry stays until it is removed, whatever the tool does', async () => {
    const { json, order, clock, work } = await lab();

    assert.equal((await json('PUT', '/v1/lists/blacklist/gamma', { reason: 'too expensive' })).status, 200);
    await work('gamma', 5);
    clock.move(30 * DAY);
    assert.deepEqual((await order()).includes('gamma'), false);
    assert.equal((await json('DELETE', '/v1/lists/blacklist/gamma')).status, 204);
    assert.equal((await order()).includes('gamma'), true);
  });

  test('R1.28 an automatic entry can be lifted by hand', async () => {
    const { json, order, blacklist, fail } = await lab();
    await fail('alpha', 5);

    await json('DELETE', '/v1/lists/blacklist/alpha');

    assert.deepEqual(await blacklist(), []);
    assert.equal((await order()).includes('alpha'), true);
  });

  test('R1.29 whitelisted tools come first in their order, overridden only by a manual blacklist', async () => {
    const { json, order, work, fail } = await lab();
    await work('beta', 20);
    await json('PUT', '/v1/lists/whitelist/gamma', {});
    await json('PUT', '/v1/lists/whitelist/alpha', {});
    assert.deepEqual(await order(), ['gamma', 'alpha', 'beta']);

    await json('PUT', '/v1/lists/whitelist/alpha', { position: 0 });
    assert.deepEqual(await order(), ['alpha', 'gamma', 'beta']);
    await fail('gamma', 5);
    assert.deepEqual(await order(), ['alpha', 'gamma', 'beta'], 'the whitelist beats the automatic blacklist');
    await json('PUT', '/v1/lists/blacklist/gamma', { reason: 'no' });
    assert.deepEqual(await order(), ['alpha', 'beta']);
  });

  test('unknown lists and tools, and callers without the scope, are refused', async () => {
    const { json, key } = await lab();
    const reader = await key({ scopes: ['read'] });

    assert.equal((await json('PUT', '/v1/lists/greylist/alpha', {})).status, 404);
    assert.equal((await json('PUT', '/v1/lists/whitelist/nothing', {})).status, 404);
    assert.equal((await json('PUT', '/v1/lists/whitelist/alpha', { rank: 1 })).status, 400);
    assert.equal((await json('PUT', '/v1/lists/whitelist/alpha', {}, reader)).status, 403);
    assert.equal((await json('GET', '/v1/recommendations?limit=0')).status, 400);
  });
});

describe('feedback', () => {
  test('R1.27 feedback is one rating a call, from 1 to 5, of a call that was made', async () => {
    const { json, invoke } = await lab();
    const { body: outcome } = await invoke('alpha', {});
    const rate = (body: object) => json<{ ratings: number; mean: number }>('POST', '/v1/feedback', body);
    const of = { tool: 'alpha', call_id: outcome.call_id };

    assert.deepEqual((await rate({ ...of, rating: 5 })).body, { tool: 'alpha', ratings: 1, mean: 5 });
    assert.deepEqual((await rate({ ...of, rating: 1 })).body, { tool: 'alpha', ratings: 1, mean: 1 }, 'it is replaced');
    for (const rating of [0, 6, 2.5, '5']) assert.equal((await rate({ ...of, rating })).status, 400);
    assert.equal((await rate({ tool: 'beta', call_id: outcome.call_id, rating: 3 })).status, 400);
    assert.equal((await rate({ tool: 'alpha', call_id: 'nothing', rating: 3 })).status, 404);
    assert.equal((await rate({ tool: 'nothing', rating: 3 })).status, 404);
  });

  test('R1.27 feedback changes the recommendation, and a key that made no call counts once, however often it rates', async () => {
    const { json, order, key, work } = await lab();
    await work('alpha', 5);
    await work('beta', 5);
    for (let person = 0; person < 6; person++) {
      const by = await key({ scopes: ['invoke'] });
      await json('POST', '/v1/feedback', { tool: 'beta', rating: 5 }, by);
      await json('POST', '/v1/feedback', { tool: 'beta', rating: 5 }, by);
      await json('POST', '/v1/feedback', { tool: 'alpha', rating: 1 }, by);
    }

    assert.deepEqual((await order()).slice(0, 2), ['beta', 'alpha']);
    const { body } = await json<{ ratings: number }>('POST', '/v1/feedback', { tool: 'beta', rating: 5 });
    assert.equal(body.ratings, 7);
  });
});
