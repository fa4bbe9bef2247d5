import { dynamoTable } from '../../shared/adapters/aws/dynamo-table.ts';
import { memoryBlobs } from '../../shared/adapters/memory/blobs.ts';
import { drawSchedules } from '../simulation/draw-schedules.ts';
import { type ScenarioName, scenarioNames } from '../simulation/scenarios.ts';
import { simulate } from '../simulation/simulate.ts';
import { type OpenStore, openMemory, openSqlite, prefixed } from '../simulation/stores.ts';
import { localCalls, startDynamo } from '../support/dynamo.ts';
import { printTable } from './report.ts';

export interface ScheduleOptions {
  readonly count: number;
  readonly seed: number;
  readonly store: string;
  readonly scenario?: string | undefined;
}

const TOLD_EVERY = 1000;

/** Simulates `count` schedules and prints, by scenario, how many broke an invariant. */
export const benchSchedules = async ({ count, seed, store, scenario }: ScheduleOptions): Promise<void> => {
  const names = scenarioNames.filter((name) => scenario === undefined || name === scenario);
  const done = new Map<ScenarioName, { schedules: number; violations: number }>();
  const { open, close } = await openStore(store);
  for (const [at, schedule] of (await drawSchedules(count, seed, names)).entries()) {
    if (at > 0 && at % TOLD_EVERY === 0) console.error(`${at} schedules, ${violationsOf(done)} violations`);
    const of = done.get(schedule.scenario) ?? { schedules: 0, violations: 0 };
    done.set(schedule.scenario, of);
    of.schedules++;
    try {
      await simulate(schedule, open);
    } catch (thrown) {
      of.violations++;
      console.error(`${JSON.stringify(schedule)}: ${String(thrown).split('\n').slice(0, 3).join(' ')}`);
    }
  }
  await close();
  printTable([...done].map(([name, { schedules, violations }]) => ({ scenario: name, store, schedules, violations })));
  if (violationsOf(done) > 0) process.exitCode = 1;
};

const violationsOf = (done: ReadonlyMap<unknown, { readonly violations: number }>): number =>
  [...done.values()].reduce((sum, { violations }) => sum + violations, 0);

const openStore = async (store: string): Promise<{ open: OpenStore; close: () => Promise<void> }> => {
  if (store !== 'dynamodb') return { open: store === 'sqlite' ? openSqlite : openMemory, close: async () => {} };
  const { endpoint, tableName, stop } = await startDynamo();
  // A generous timeout, so that a busy machine does not affect a schedule.
  const call = localCalls(endpoint, { answerMs: 120_000 });
  let opened = 0;
  const open: OpenStore = (now, turns) => ({
    table: prefixed(
      dynamoTable({ call: (...given) => turns.request(() => call(...given)), tableName, now }),
      `S${++opened}#`,
    ),
    blobs: memoryBlobs(),
  });
  return { open, close: stop };
};
