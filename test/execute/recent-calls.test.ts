import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import type { CallSummary } from '../../shared/execute/summarise-calls.ts';
import type { Table } from '../../shared/kernel/ports.ts';
import { testAssay } from '../support/assay.ts';
import { standingClock } from '../support/clock.ts';
import { assayWith } from '../support/execution.ts';
import { aTool } from '../support/tools.ts';

const MINUTE = 60_000;

/** A table that tells how many calls were read from it. */
const countedTable = (now: () => number) => {
  const table = memoryTable({ now });
  const read = { calls: 0 };
  const query: Table['query'] = async (pk, given) => {
    const page = await table.query(pk, given);
    if (pk.includes('#CALLS#')) read.calls += page.items.length;
    return page;
  };
  return { table: { ...table, query }, read };
};

const summaryOf = async (made: Awaited<ReturnType<typeof testAssay>>, span = 'hour') =>
  (await made.json<CallSummary>('GET', `/v1/summary?span=${span}`)).body;

describe('repeated summaries', () => {
  test('a repeated summary reads only calls since the last one and of the minute before it', async () => {
    const clock = standingClock();
    const { table, read } = countedTable(clock.now);
    const shop = await assayWith({ one: async () => 1 }, { clock, table });
    for (let call = 0; call < 400; call++) await shop.invoke('one', {});
    clock.move(2 * MINUTE);
    assert.equal((await summaryOf(shop)).calls, 400);
    clock.move(2 * MINUTE);
    for (let call = 0; call < 3; call++) await shop.invoke('one', {});
    read.calls = 0;

    const { calls, complete, steps } = await summaryOf(shop);

    assert.deepEqual([calls, complete], [403, true]);
    // A page of each of the four parts of an hour.
    assert.ok(read.calls <= 80, `${read.calls} were read`);
    assert.deepEqual(
      steps.map((step) => step.calls).filter((count) => count > 0),
      [400, 3],
    );
  });

  test('a repeated summary includes long calls of this process, and calls of another that ended a little late', async () => {
    const clock = standingClock();
    const { table } = countedTable(clock.now);
    const held = Promise.withResolvers<void>();
    const shop = await assayWith({ one: async () => 1, long: () => held.promise }, { clock, table });
    const other = await testAssay({ clock, table });
    await other.json('POST', '/v1/tools', aTool());
    const long = shop.invoke('long', {});
    clock.move(5 * MINUTE);
    await shop.invoke('one', {});
    assert.equal((await summaryOf(shop)).calls, 1);

    held.resolve();
    await long;
    clock.move(-MINUTE / 2);
    await other.json('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'Ulm' } });
    await other.assay.recorder.flush();
    clock.move(MINUTE / 2);

    const { tools } = await summaryOf(shop);
    assert.deepEqual(tools.map(({ name, calls }) => [name, calls]).sort(), [
      ['long', 1],
      ['one', 1],
      ['weather_lookup', 1],
    ]);
  });

  test('a repeated summary drops old calls, and after ten minutes includes calls of others that ended late', async () => {
    const clock = standingClock();
    const { table } = countedTable(clock.now);
    const shop = await assayWith({ one: async () => 1 }, { clock, table });
    const other = await testAssay({ clock, table });
    await other.json('POST', '/v1/tools', aTool());
    await shop.invoke('one', {});
    clock.move(20 * MINUTE);
    await summaryOf(shop);
    clock.move(-10 * MINUTE);
    await other.json('POST', '/v1/tools/weather_lookup/invoke', { arguments: { city: 'Ulm' } });
    await other.assay.recorder.flush();
    clock.move(21 * MINUTE);

    assert.equal((await summaryOf(shop)).calls, 2);
    clock.move(35 * MINUTE);
    assert.equal((await summaryOf(shop)).calls, 1);
    assert.equal((await summaryOf(shop, 'day')).calls, 2);
  });
});
