import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { ACTIVE_UPLOADS_PK } from '../../shared/kernel/item-keys.ts';
import type { Timers } from '../../shared/kernel/ports.ts';
import { createDeliveries } from '../../shared/uploads/deliveries.ts';
import { objectCreated, readObjectCreated } from '../../shared/uploads/object-event.ts';
import { memoryLog } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';

const TERM_MS = 90_000;
const eventOf = (tenant: string) => objectCreated(`images/${tenant}/cat.png`, 'e1', 3, '01');
const event = eventOf('default');

/** Processes on one table; each deals with an event when it is told to, or never. */
const world = () => {
  const clock = standingClock();
  const table = memoryTable({ now: clock.now });
  let drawn = 0;
  const start = () => {
    const ticks = new Set<() => void>();
    const timers: Timers = {
      ...systemTimers,
      every(_, work) {
        ticks.add(work);
        return () => ticks.delete(work);
      },
    };
    const dealt: string[] = [];
    const lost: (() => boolean)[] = [];
    const ends: (() => void)[] = [];
    const random = (bytes: number) => new Uint8Array(new Uint32Array(bytes / 4).fill(++drawn).buffer);
    const tenants: string[] = [];
    const deliveries = createDeliveries({ table, clock, timers, random, log: memoryLog() }, (given, id, isLost) => {
      dealt.push(id);
      tenants.push(readObjectCreated(given).tenant);
      lost.push(isLost);
      return new Promise((resolve) => ends.push(resolve));
    });
    const tick = async (): Promise<void> => {
      for (const work of [...ticks]) work();
      await turns();
    };
    const end = (): void => {
      for (const resolve of ends.splice(0)) resolve();
    };
    return { ...deliveries, dealt, tenants, isLost: () => lost[0]?.(), end, tick };
  };
  const left = async () => (await table.query(ACTIVE_UPLOADS_PK)).items.length;
  return { clock, start, left, table };
};

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('deliveries of upload events', () => {
  test('an upload event is deleted from the table once it is handled, and not before', async () => {
    const { start, left } = world();
    const process = start();
    await process.send(event);

    assert.equal(await left(), 1);
    process.end();
    await process.close();
    assert.deepEqual([await left(), process.dealt.length], [0, 1]);
  });

  test('X.04 an unreadable upload event does not delay the others', async () => {
    const { clock, start, table } = world();
    await table.write([{ put: { pk: ACTIVE_UPLOADS_PK, sk: '0' }, body: { v: 1, id: 7 } }]);
    await start().send(event);
    clock.move(TERM_MS);

    const next = start();
    await turns();
    assert.equal(next.dealt.length, 1);
  });

  test('events of a crashed process are taken over when its lease has expired, at start or while running', async () => {
    for (const isRunning of [true, false]) {
      const { clock, start, left } = world();
      const dead = start();
      const running = isRunning ? start() : undefined;
      await dead.send(event);
      await running?.tick();
      assert.deepEqual(running?.dealt ?? [], []);

      clock.move(TERM_MS);
      const heir = running ?? start();
      await turns();
      if (isRunning) await heir.tick();

      assert.deepEqual(heir.dealt, dead.dealt);
      heir.end();
      await heir.close();
      assert.equal(await left(), 0);
    }
  });

  /** Lets a process deal with what waits, round by round. */
  const untilDealt = async (process: ReturnType<ReturnType<typeof world>['start']>, count: number): Promise<void> => {
    for (let round = 0; round < 400 && process.dealt.length < count; round++) {
      process.end();
      await turns();
    }
    process.end();
    await process.idle();
  };

  test('of many abandoned events a few are taken over at a time', async () => {
    const { clock, start, left } = world();
    const dead = start();
    for (let sent = 0; sent < 20; sent++) await dead.send(event);
    clock.move(TERM_MS);
    const heir = start();
    await turns();
    assert.equal(heir.dealt.length, 4);

    await untilDealt(heir, 20);
    assert.deepEqual([heir.dealt.length, await left()], [20, 0]);
  });

  test('X.07 one tenant’s many uploads start a few at a time, and another tenant’s between them', async () => {
    const { start, left } = world();
    const process = start();
    for (let sent = 0; sent < 300; sent++) await process.send(eventOf('loud'));
    assert.equal(process.dealt.length, 4);
    await process.send(eventOf('polite'));
    await turns();

    assert.deepEqual(process.tenants, ['loud', 'loud', 'loud', 'loud', 'polite']);
    await untilDealt(process, 301);
    assert.deepEqual([process.dealt.length, new Set(process.dealt).size, await left()], [301, 301, 0]);
  });

  test('X.05 an upload that waits for its turn is taken by another process with free capacity', async () => {
    const { start, left } = world();
    const [busy, free] = [start(), start()];
    for (let sent = 0; sent < 6; sent++) await busy.send(event);
    await free.tick();

    assert.deepEqual([busy.dealt.length, free.dealt.length], [4, 2]);
    await untilDealt(free, 2);
    await untilDealt(busy, 4);
    assert.deepEqual([busy.dealt.length, free.dealt.length, await left()], [4, 2, 0]);
  });

  test('heartbeats keep an event’s lease for as long as handling it takes', async () => {
    const { clock, start } = world();
    const [busy, other] = [start(), start()];
    await busy.send(event);
    for (let beat = 0; beat < 10; beat++) {
      clock.move(60_000);
      await busy.tick();
      await other.tick();
    }

    assert.deepEqual([other.dealt, busy.isLost()], [[], false]);
  });

  test('a slow process notices that its event was taken over, and deletes nothing', async () => {
    const { clock, start, left } = world();
    const slow = start();
    await slow.send(event);
    clock.move(TERM_MS);
    const heir = start();
    await turns();

    assert.equal(slow.isLost(), true);
    slow.end();
    await slow.idle();
    assert.equal(await left(), 1);
    heir.end();
    await heir.idle();
    assert.equal(await left(), 0);
  });

  test('X.04 an event whose owner lost its lease is taken up again, by the same process if no other did', async () => {
    const { clock, start, left } = world();
    const slow = start();
    await slow.send(event);
    clock.move(TERM_MS);
    await slow.tick();
    assert.equal(slow.isLost(), true);
    slow.end();
    await slow.idle();
    assert.equal(await left(), 1);

    await slow.tick();
    slow.end();
    await slow.idle();
    assert.deepEqual([slow.dealt.length, await left()], [2, 0]);
  });
});
