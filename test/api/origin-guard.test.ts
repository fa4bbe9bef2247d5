import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOriginGuard } from '../../functions/api/origin-guard.ts';

const OLD = 'o'.repeat(48);
const NEW = 'n'.repeat(48);
const GUESS = 'g'.repeat(48);

/** A guard on secrets that can be changed, which says what it asked for. */
const aGuard = async (current = OLD) => {
  const world = { now: 0, secrets: [current], asked: [] as string[] };
  const guard = await createOriginGuard({
    now: () => world.now,
    read: async (which) => {
      world.asked.push(which);
      return which === 'current' ? world.secrets.slice(0, 1) : world.secrets;
    },
  });
  return { world, guard };
};

describe('the origin secret', () => {
  test('a request with the current origin secret is accepted without reading it again', async () => {
    const { guard, world } = await aGuard();

    assert.equal(guard(OLD), true);
    assert.deepEqual(world.asked, ['current']);
  });

  test('a value that cannot be an origin secret is refused without reading the secret', async () => {
    const { guard, world } = await aGuard();

    for (const text of [undefined, '', 'short', `${OLD}\n`, '*'.repeat(48), 'o'.repeat(500)])
      assert.equal(guard(text), false);
    assert.deepEqual(world.asked, ['current']);
  });

  test('wrong origin secrets cause one read in thirty seconds, however many are tried', async () => {
    const { guard, world } = await aGuard();

    const first = await Promise.all(Array.from({ length: 50 }, () => guard(GUESS)));
    const later = guard(GUESS);
    world.now = 30_000;
    const afterwards = await guard(GUESS);

    assert.deepEqual([...new Set(first), later, afterwards], [false, false, false]);
    assert.deepEqual(world.asked, ['current', 'all', 'all']);
  });

  test('a rotated origin secret is accepted when it is first presented, and the previous one still is', async () => {
    const { guard, world } = await aGuard();
    world.secrets = [NEW, OLD];

    assert.equal(await guard(NEW), true);
    assert.equal(guard(OLD), true);
    assert.equal(guard(NEW), true);
  });

  test('an origin secret is forgotten when it is neither current nor previous', async () => {
    const { guard, world } = await aGuard();
    world.secrets = [NEW, 'm'.repeat(48)];
    await guard(NEW);

    assert.equal(guard(OLD), false);
  });
});
