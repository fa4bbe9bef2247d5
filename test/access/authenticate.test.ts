import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { createKey, revokeKey } from '../../shared/access/api-keys.ts';
import { createAuthenticator } from '../../shared/access/authenticate.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { Fault } from '../../shared/kernel/errors.ts';

/** An authenticator over a key, and a clock that stands still until it is moved. */
const setting = async (options: { readonly expires_at?: string } = {}) => {
  const world = { now: Date.parse('2026-01-01T00:00:00Z'), reads: 0, ids: 0 };
  const clock = { now: () => world.now, newId: () => `01key${String(world.ids++).padStart(21, '0')}` };
  const table = memoryTable({ now: clock.now });
  const get: typeof table.get = (...args) => {
    world.reads++;
    return table.get(...args);
  };
  const counted = { ...table, get };
  const key = await createKey({ table, clock, random: (bytes) => randomBytes(bytes) }, adminActor(), {
    scopes: ['read'],
    ...options,
  });
  const authenticate = createAuthenticator({ table: counted, clock });
  return { world, clock, table, authenticate, ...key };
};

const refused = (pattern: RegExp) => (thrown: unknown) =>
  thrown instanceof Fault && thrown.code === 'Unauthenticated' && pattern.test(thrown.message);

describe('authentication', () => {
  test('a key in use is read from the table at most once a second', async () => {
    const { authenticate, world, key, id } = await setting();

    for (let count = 0; count < 3; count++) assert.equal((await authenticate(key)).keyId, id);
    assert.equal(world.reads, 1);

    world.now += 1001;
    await authenticate(key);
    assert.equal(world.reads, 2);
  });

  test('a key revoked by this process is refused at once, though it was just accepted', async () => {
    const { authenticate, table, clock, key, id } = await setting();
    await authenticate(key);
    await revokeKey({ table, clock }, adminActor(), id);
    authenticate.forget(id);

    await assert.rejects(async () => authenticate(key), refused(/was revoked/));
    await assert.rejects(async () => authenticate(key), refused(/was revoked/));
  });

  test('a key revoked by another process is refused within a second', async () => {
    const { authenticate, table, clock, world, key, id } = await setting();
    await authenticate(key);
    await revokeKey({ table, clock }, adminActor(), id);
    world.now += 1001;

    await assert.rejects(async () => authenticate(key), refused(/was revoked/));
  });

  test('a cached key is refused once it has expired', async () => {
    const { authenticate, world, key } = await setting({ expires_at: '2026-01-01T00:00:00.500Z' });
    await authenticate(key);
    world.now += 600;

    await assert.rejects(async () => authenticate(key), refused(/expired at/));
  });

  test('a wrong secret under the id of a key that was just accepted is refused', async () => {
    const { authenticate, key } = await setting();
    await authenticate(key);
    const altered = key.replace(/.(?=.{10}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));

    assert.notEqual(altered, key);
    await assert.rejects(async () => authenticate(altered), refused(/not known/));
    assert.ok(await authenticate(key));
  });
});
