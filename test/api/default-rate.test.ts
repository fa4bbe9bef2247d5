import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createApp } from '../../functions/api/app.ts';
import { issuersText } from '../../functions/compose/issuers-text.ts';
import { localAssay } from '../../functions/compose/local-assay.ts';
import { readEnvironment } from '../../functions/compose/local-environment.ts';
import { createKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { actorFromClaims } from '../../shared/access/token-actor.ts';
import type { NewKey } from '../../shared/model/key.ts';
import { standingClock } from '../support/clock.ts';
import { recordingLog } from '../support/recording-log.ts';

describe('the default rate limit of keys', () => {
  const clock = standingClock();
  const opened = localAssay({
    environment: readEnvironment({ ASSAY_DEFAULT_RATE: '2/5' }),
    clock,
    log: recordingLog(),
    adminKey: 'the-key-of-the-operator',
    discover: async () => [],
  });

  after(async () => (await opened).close());

  const ask = async (key: string, times: number): Promise<readonly Response[]> => {
    const app = createApp(await opened);
    const answers: Response[] = [];
    while (answers.length < times)
      answers.push(await app.request('/v1/tools/hash', { headers: { authorization: `Bearer ${key}` } }));
    return answers;
  };
  const keyOf = async (settings: Partial<NewKey> = {}): Promise<string> =>
    (await createKey(await opened, adminActor(), { scopes: ['read'], ...settings })).key;
  const refusals = (answers: readonly Response[]) => answers.filter(({ status }) => status === 429).length;

  test('X.06 a key without a rate has the default limit: a flood is refused with the time to wait, and other keys are not affected', async () => {
    const [loud, polite] = [await keyOf(), await keyOf()];

    const flood = await ask(loud, 7);
    assert.equal(refusals(flood), 2);
    assert.equal(flood.at(-1)?.headers.get('retry-after'), '1');
    assert.match(await (flood.at(-1) as Response).text(), /2 requests a second, 5 at once/);
    assert.equal(refusals(await ask(polite, 5)), 0);

    clock.move(1000);
    assert.equal(refusals(await ask(loud, 3)), 1);
  });

  test('a key’s own rate and the scope admin take precedence over the default rate limit', async () => {
    const rate = { per_second: 100, burst: 100 };
    assert.equal(refusals(await ask(await keyOf({ rate }), 8)), 0);
    assert.equal(refusals(await ask(await keyOf({ scopes: ['admin'] }), 8)), 0);
    assert.equal(refusals(await ask('the-key-of-the-operator', 8)), 0);
  });

  test('expensive work counts more against the default rate limit, which OAuth tokens have too', async () => {
    const { limitRate } = await opened;
    const [issuer] = issuersText.parse('[{"issuer": "https://login.example.com", "audience": ["x"]}]');
    const actor = actorFromClaims(issuer as never, { sub: 'somebody', scope: 'read' });

    assert.equal(limitRate(actor), undefined);
    await limitRate.spend(actor, 4);

    assert.throws(() => limitRate(actor), { code: 'RateLimited' });
  });

  test('the default rate limit is set, or switched off, by the environment', () => {
    const rateOf = (text?: string) => readEnvironment({ ASSAY_DEFAULT_RATE: text }).ASSAY_DEFAULT_RATE;
    assert.deepEqual(rateOf(), { per_second: 500, burst: 2000 });
    assert.deepEqual(rateOf('10'), { per_second: 10, burst: 40 });
    assert.deepEqual(rateOf('0.5/3'), { per_second: 0.5, burst: 3 });
    assert.equal(rateOf('off'), 'off');
    for (const wrong of ['0', 'fast', '1/2/3', ''])
      assert.throws(() => rateOf(wrong), /ASSAY_DEFAULT_RATE must be off/);
  });
});
