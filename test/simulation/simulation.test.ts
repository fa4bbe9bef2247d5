import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tries } from '../support/sampling.ts';
import { drawSchedules } from './draw-schedules.ts';
import { type Schedule, simulate } from './simulate.ts';
import { type OpenStore, openMemory, openSqlite } from './stores.ts';

const seed = Number(process.env.SIMULATION_SEED ?? 1);

/** A failing schedule is drawn again with the seed that its message names. */
const runAll = async (schedules: readonly Schedule[], open: OpenStore): Promise<void> => {
  for (const schedule of schedules)
    await simulate(schedule, open).catch((thrown: unknown) => {
      throw new Error(`seed ${seed}, schedule ${JSON.stringify(schedule)}: ${String(thrown)}`, { cause: thrown });
    });
  assert.ok(schedules.length > 0);
};

/** Each request takes as many turns of the event loop as chance has it, as those to another process do. */
const openSlow: OpenStore = (now, { request }) => {
  const { table, blobs } = openMemory(now, { request });
  const slowly = <T>(work: () => Promise<T>): Promise<T> =>
    request(async () => {
      for (let turns = Math.random() * 30; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      return work();
    });
  return {
    blobs,
    table: {
      ...table,
      get: (key) => slowly(() => table.get(key)),
      query: (...given) => slowly(() => table.query(...given)),
      scan: (...given) => slowly(() => table.scan(...given)),
      change: (...given) => slowly(() => table.change(...given)),
      write: (writes) => slowly(() => table.write(writes)),
      count: (...given) => slowly(() => table.count(...given)),
    },
  };
};

/** A process wakes between its row and its count, after another has ended the row and found the disk full. */
const WOKEN_LATE = [
  { scenario: 'fail', writes: 2, seed: 892934145 },
  { scenario: 'invoke', writes: 3, seed: 614507555 },
] as const;

/** A process wakes while another recovers, and its note that it counts on quotas is stored long after it was made. */
const STORED_LATE = { scenario: 'plan', writes: 7, seed: 1743844762, fate: 'stalls', isContended: false } as const;

describe('X.04 simulated processes that crash or stall after any write, alone and beside others', () => {
  test('crashes and stalls after any write charge once, leave nothing stuck, and lose nothing acknowledged', async () => {
    await runAll(await drawSchedules(tries(80, 2000), seed), openMemory);
  });

  test('a process that resumes after its reservation has lapsed leaves no count behind', async () => {
    const schedules = WOKEN_LATE.map((schedule) => ({ ...schedule, fate: 'stalls', isContended: true }) as const);
    await runAll(schedules, openMemory);
  });

  test('a process that resumes holds its quotas from when that is stored, however long it took', async () => {
    await runAll([STORED_LATE], openMemory);
  });

  const stores: Readonly<Record<string, OpenStore>> = {
    memory: openMemory,
    SQLite: openSqlite,
    'a store that is sometimes slow': openSlow,
  };
  for (const [name, open] of Object.entries(stores))
    test(`a simulated schedule on ${name} repeats exactly, to the millisecond and the byte`, async () => {
      for (const schedule of await drawSchedules(tries(open === openMemory ? 4 : 2, 200), seed + 2)) {
        const [first, again]: string[][] = [[], []];
        for (const lines of [first, again]) await simulate(schedule, open, (line) => lines?.push(line));
        const differs = again?.findIndex((line, at) => line !== first?.[at]);
        assert.deepEqual([differs, again?.length], [-1, first?.length], JSON.stringify(schedule));
      }
    });

  test('crashes and stalls on SQLite charge once and lose nothing', async () => {
    await runAll(await drawSchedules(tries(6, 500), seed + 1), openSqlite);
  });
});
