import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { tries } from '../support/sampling.ts';
import { drawSchedules } from './draw-schedules.ts';
import { type Schedule, simulate } from './simulate.ts';
import { type OpenStore, openMemory, openSqlite } from './stores.ts';

const seed = Number(process.env.SIMULATION_SEED ?? 1);

// Engines of processes that died wait for consent for a day, and nobody is left to end them.
after(() => void setTimeout(() => process.exit(), 200));

/** A failing schedule is drawn again with the seed that its message names. */
const runAll = async (schedules: readonly Schedule[], open: OpenStore): Promise<void> => {
  for (const schedule of schedules)
    await simulate(schedule, open).catch((thrown: unknown) => {
      throw new Error(`seed ${seed}, schedule ${JSON.stringify(schedule)}: ${String(thrown)}`, { cause: thrown });
    });
  assert.ok(schedules.length > 0);
};

describe('X.04 processes that die or stall after any write, alone and beside others', () => {
  test('charge once, leave nothing stuck, and lose nothing that was acknowledged', async () => {
    await runAll(await drawSchedules(tries(70, 2000), seed), openMemory);
  });

  test('do so on SQLite', async () => {
    await runAll(await drawSchedules(tries(12, 500), seed + 1), openSqlite);
  });
});
