import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { LEASE_MS, Lease } from '../../shared/kernel/lease.ts';
import { acquireItem, changeWhileHeld, keepLease } from '../../shared/kernel/leased-item.ts';
import type { Timers } from '../../shared/kernel/ports.ts';
import { put, read, stored } from '../../shared/kernel/stored.ts';
import type { TableTest } from './table.ts';

const Work = stored({ what: 'work', schema: z.object({ done: z.int(), lease: Lease.optional() }) });

/** What a lease promises on every table. */
export function testLeases({ table, newPk, clock }: TableTest): void {
  const begin = async () => {
    const item = { key: { pk: newPk(), sk: 'WORK' }, kind: Work };
    const beats: (() => void)[] = [];
    const timers: Timers = {
      ...systemTimers,
      every(_, work) {
        beats.push(work);
        return () => void beats.splice(0);
      },
    };
    const world = { table: table(), clock: { now: () => clock.ms }, timers, log: { warn: () => {} } };
    await table().write([put(item.key, Work, { done: 0 })]);
    const stored = async () => {
      const found = await table().get(item.key);
      return found && read(found, Work);
    };
    const finish = (held: Lease) =>
      changeWhileHeld(world, item, held, (content) => [put(item.key, Work, { ...content, done: content.done + 1 })]);
    return { item, world, beats, stored, finish, take: (owner: string) => acquireItem(world, item, owner) };
  };

  test('one of many that request a lease gets it, and another one after it expired', async () => {
    const { take } = await begin();

    const taken = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => take(owner)));
    const [winner] = taken.filter((each) => each !== undefined);

    assert.equal(taken.filter((each) => each !== undefined).length, 1);
    assert.equal(winner?.lease.epoch, 1);
    clock.ms += LEASE_MS - 1;
    assert.equal(await take('e'), undefined);
    clock.ms += 1;
    assert.equal((await take('e'))?.lease.epoch, 2);
  });

  test('a heartbeat keeps a lease, and tells its owner when another has taken over', async () => {
    const { item, world, beats, stored, take } = await begin();
    const held = (await take('a'))?.lease;
    assert.ok(held);
    const heartbeat = keepLease(world, item, held);
    clock.ms += LEASE_MS - 1000;
    beats[0]?.();
    const renewed = clock.ms + LEASE_MS;
    for (let tries = 0; tries < 200 && (await stored())?.lease?.until !== renewed; tries++);

    assert.equal((await stored())?.lease?.until, renewed);
    clock.ms += 2000;
    assert.deepEqual([await take('b'), heartbeat.isLost()], [undefined, false]);
    clock.ms += LEASE_MS;
    assert.equal(heartbeat.isLost(), true);
    assert.equal((await take('b'))?.lease.epoch, 2);
    beats[0]?.();
    for (let tries = 0; tries < 200 && beats.length > 0; tries++) await stored();
    assert.deepEqual([beats.length, (await stored())?.lease?.owner], [0, 'b']);
  });

  test('X.04 an expired lease stays lost to its owner, whatever a late heartbeat answers', async () => {
    const { item, world, beats, stored, take } = await begin();
    const held = (await take('a'))?.lease;
    assert.ok(held);
    const heartbeat = keepLease(world, item, held);
    clock.ms += LEASE_MS - 1;
    beats[0]?.();
    clock.ms += 1;
    assert.equal(heartbeat.isLost(), true);
    for (let tries = 0; tries < 50; tries++) await stored();

    beats[0]?.();
    assert.deepEqual([heartbeat.isLost(), beats.length], [true, 0]);
  });

  test('an owner that lost its lease changes nothing, even when the item was deleted or recreated', async () => {
    const { item, take, finish, stored } = await begin();
    const held = (await take('a'))?.lease;
    assert.ok(held);
    clock.ms += LEASE_MS;
    const next = (await take('b'))?.lease;
    assert.ok(next);

    assert.deepEqual([await finish(held), await finish(next), (await stored())?.done], [false, true, 1]);
    await table().write([{ remove: item.key }]);
    assert.equal(await finish(next), false);
    await table().write([put(item.key, Work, { done: 7 })]);
    assert.deepEqual([await finish(next), (await stored())?.done], [false, 7]);
  });
}
