import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { drawSchedules } from '../simulation/draw-schedules.ts';
import { type Schedule, type Store, scenarioNames, simulate } from '../simulation/simulate.ts';
import { printTable } from './report.ts';

/** Simulates so many schedules and prints, by scenario, how many broke an invariant. */
export const benchSchedules = async (count: number, seed: number, kind: 'memory' | 'sqlite'): Promise<void> => {
  const open = (now: () => number): Store => ({ table: sqliteTable({ path: ':memory:', now }), blobs: memoryBlobs() });
  const done = new Map<string, { schedules: number; violations: number }>();
  for (const schedule of await drawSchedules(count, seed)) {
    const of = done.get(schedule.scenario) ?? { schedules: 0, violations: 0 };
    done.set(schedule.scenario, of);
    of.schedules++;
    try {
      await simulate(schedule, kind === 'sqlite' ? open : undefined);
    } catch (thrown) {
      of.violations++;
      console.error(`${JSON.stringify(schedule satisfies Schedule)}: ${String(thrown).split('\n')[0]}`);
    }
  }
  printTable(
    scenarioNames.flatMap((scenario) => {
      const of = done.get(scenario);
      return of ? [{ scenario, store: kind, schedules: of.schedules, violations: of.violations }] : [];
    }),
  );
  if ([...done.values()].some(({ violations }) => violations > 0)) process.exitCode = 1;
};
