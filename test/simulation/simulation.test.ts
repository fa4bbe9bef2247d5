import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tries } from '../support/sampling.ts';
import { drawSchedules } from './draw-schedules.ts';
import { simulate } from './simulate.ts';

// A failing schedule is drawn again with the seed that its message names.
describe('processes that die after any write, beside others', () => {
  test('charge once, leave nothing stuck, and lose nothing that was acknowledged', async () => {
    const schedules = await drawSchedules(tries(60, 2000), Number(process.env.SIMULATION_SEED ?? 1));
    for (const schedule of schedules)
      await simulate(schedule).catch((thrown: unknown) => {
        throw new Error(`schedule ${JSON.stringify(schedule)}: ${String(thrown)}`, { cause: thrown });
      });
    assert.ok(schedules.length > 0);
  });
});
