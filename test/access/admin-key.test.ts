import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyAdminKey, expiringAdminKey, fixedAdminKey, storedAdminKey } from '../../shared/access/admin-key.ts';
import { createAuthenticator } from '../../shared/access/authenticate.ts';
import { digestOfKey } from '../../shared/access/secret.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { Fault } from '../../shared/kernel/errors.ts';

const OLD = 'o'.repeat(48);
const NEW = 'n'.repeat(48);

/** An authenticator whose admin key lies in a secret that can be replaced. */
const setting = () => {
  const world = { now: 0, secret: OLD as string | undefined, reads: 0 };
  const now = () => world.now;
  const read = async () => {
    world.reads++;
    return world.secret;
  };
  const authenticate = createAuthenticator({
    table: memoryTable({ now }),
    clock: { now },
    adminKey: storedAdminKey({ read, now }),
  });
  return { world, isAdmin: async (key: string) => (await authenticate(key)).scopes.has('admin') };
};

const isUnauthenticated = (thrown: unknown): boolean => thrown instanceof Fault && thrown.code === 'Unauthenticated';

describe('an admin key stored in a secret', () => {
  test('the admin key is read from its secret when somebody first presents a key, and once for many requests', async () => {
    const { world, isAdmin } = setting();
    assert.equal(world.reads, 0);

    const answers = await Promise.all(Array.from({ length: 20 }, () => isAdmin(OLD)));

    assert.ok(answers.every(Boolean));
    assert.equal(world.reads, 1);
  });

  test('a replaced admin key is refused within a minute, and the new one is accepted within ten seconds', async () => {
    const { world, isAdmin } = setting();
    assert.ok(await isAdmin(OLD));
    world.secret = NEW;

    world.now = 10_000;
    assert.ok(await isAdmin(NEW));
    await assert.rejects(isAdmin(OLD), isUnauthenticated);

    world.secret = OLD;
    world.now = 69_000;
    assert.ok(await isAdmin(NEW));
    world.now = 70_001;
    await assert.rejects(isAdmin(NEW), isUnauthenticated);
  });

  test('unknown keys cause one read of the admin secret per ten seconds, and an empty or missing secret admits nobody', async () => {
    for (const secret of ['', undefined]) {
      const { world, isAdmin } = setting();
      world.secret = secret;

      for (let n = 0; n < 50; n++) await assert.rejects(isAdmin(`guess${n}`), isUnauthenticated);
      await assert.rejects(isAdmin(''), isUnauthenticated);
      assert.equal(world.reads, 1);
    }
  });
});

test('the admin key in a console link expires; the permanent one does not', () => {
  let now = 0;
  const [lasting, link] = [digestOfKey('lasting'), digestOfKey('link')];
  const key = anyAdminKey([fixedAdminKey(lasting), expiringAdminKey(fixedAdminKey(link), 1000, () => now)]);

  assert.deepEqual([key.matches(link), key.matches(lasting), key.matches(digestOfKey('other'))], [true, true, false]);
  now = 1000;
  assert.deepEqual([key.matches(link), key.matches(lasting)], [false, true]);
});
