import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { createFairTurns } from '../../shared/kernel/fair-turns.ts';
import { burnCpu } from '../support/burn.ts';

const enterAll = (tenants: readonly string[], mostWaiting?: number) => {
  const turns = createFairTurns(systemClock(), mostWaiting);
  const order: string[] = [];
  const work = (tenant: string) => (): void => {
    order.push(tenant);
    if (tenant === 'loud') burnCpu(25);
  };
  const done = tenants.map((tenant) => {
    const turn = turns.enter(tenant);
    if (turn === undefined) work(tenant)();
    return turn?.then(work(tenant));
  });
  return { order, done };
};

describe('tenants share the event loop', () => {
  test('X.06 of slow requests that arrive together the first runs, then another tenant’s before the rest', async () => {
    const { order, done } = enterAll([...Array.from({ length: 8 }, () => 'loud'), 'polite', 'polite']);

    await Promise.all(done);

    assert.equal(order.length, 10);
    assert.ok(order.lastIndexOf('polite') <= 4, order.join(' '));
  });

  test('X.06 timers and sockets are served between two slow requests', async () => {
    let turn = 0;
    let watch = setImmediate(function count() {
      turn++;
      watch = setImmediate(count);
    });
    const { done } = enterAll(Array.from({ length: 5 }, () => 'loud'));
    const at: number[] = [];

    await Promise.all(done.map((each) => each?.then(() => at.push(turn))));

    clearImmediate(watch);
    const gaps = at.slice(1).map((each, index) => each - (at[index] ?? 0));
    assert.ok(Math.min(...gaps) >= 8, `turns between: ${gaps}`);
  });

  test('fast requests do not wait for a turn', async () => {
    const turns = createFairTurns(systemClock());
    let waited = 0;
    for (let call = 0; call < 100; call++) {
      if (turns.enter('polite') !== undefined) waited++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // A busy machine may take the processor away in the middle of a turn.
    assert.ok(waited < 20, `${waited} of 100 waited`);
  });

  test('a tenant that is alone does not pause after slow work, and one beside others does', async () => {
    const turns = createFairTurns(systemClock());
    const waitsAfterSlowWork = async (): Promise<boolean> => {
      await turns.enter('loud');
      burnCpu(25);
      await new Promise((resolve) => setImmediate(resolve));
      const turn = turns.enter('loud');
      await turn;
      return turn !== undefined;
    };

    const alone = await waitsAfterSlowWork();
    await turns.enter('polite');
    const beside = await waitsAfterSlowWork();

    assert.deepEqual({ alone, beside }, { alone: false, beside: true });
  });

  test('X.07 a tenant with a full queue is refused, and another is not', async () => {
    const { done } = enterAll([...Array.from({ length: 5 }, () => 'loud'), 'polite'], 3);

    const ended = await Promise.allSettled(done);

    const refused = ended.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      ['RateLimited'],
    );
    assert.equal(ended.at(-1)?.status, 'fulfilled');
  });
});
