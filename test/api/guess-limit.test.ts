import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behindCloudFront } from '../../functions/api/behind-cloudfront.ts';
import { createGuessLimit } from '../../functions/api/guess-limit.ts';
import { ADMIN_KEY, testAssay } from '../support/assay.ts';

const setting = async () => {
  const world = { now: 0 };
  const { app } = await testAssay();
  const guesses = createGuessLimit({ now: () => world.now, most: 3 });
  const front = behindCloudFront(app, { guard: () => true, guesses });
  const ask = (address: string, token: string) =>
    front.fetch(
      new Request('https://assay.example/v1/tools', {
        headers: { authorization: `Bearer ${token}`, 'x-assay-viewer': address },
      }),
    );
  return { world, ask, key: ADMIN_KEY };
};

describe('guessing API keys', () => {
  test('an address that shows too many refused keys must wait, with our error format, and other addresses need not', async () => {
    const { world, ask, key } = await setting();
    for (let n = 0; n < 3; n++) assert.equal((await ask('192.0.2.1', 'wrong')).status, 401);

    const refused = await ask('192.0.2.1', key);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '60');
    const { error } = (await refused.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, 'RateLimited');
    assert.match(error.message, /too many refused keys/);
    assert.equal((await ask('192.0.2.2', key)).status, 200);

    world.now = 60_000;
    assert.equal((await ask('192.0.2.1', key)).status, 200);
  });

  test('a valid key is not limited by refused guesses', async () => {
    const { ask, key } = await setting();

    for (let n = 0; n < 10; n++) assert.equal((await ask('192.0.2.1', key)).status, 200);
  });
});
