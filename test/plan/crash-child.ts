import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileBlobs } from '../../shared/adapters/files/blobs.ts';
import { engineTime } from '../../shared/adapters/node/engine-time.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { LEASE_MS } from '../../shared/kernel/lease.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import { createLocalRuns } from '../../shared/plan/local-runs.ts';
import { savePlan } from '../../shared/plan/run-store.ts';
import { anyTool } from '../bench/random-plans.ts';
import { recordingLog } from '../support/recording-log.ts';
import { compileForRuns } from './run-plan.ts';

// Runs a chain of five nodes on a data directory, or goes on with what another process has left there.
const [directory = '', action = ''] = process.argv.slice(2);

// The process that comes later lives after the lease of the first.
const late = action === 'start' ? 0 : LEASE_MS;
const { newId } = systemClock();
const deps = {
  table: sqliteTable({ path: join(directory, 'assay.db') }),
  blobs: fileBlobs(directory),
  clock: { newId, now: () => Date.now() + late },
  engine: engineTime(),
  timers: systemTimers,
  random: (bytes: number) => randomBytes(bytes),
  log: recordingLog(),
  execute: async ({ node: { id } }: { readonly node: { readonly id: string } }) => {
    appendFileSync(join(directory, 'calls'), `${id}\n`);
    // The third node never ends in the process that is killed.
    if (id === 'n3' && action === 'start') {
      process.send?.('stuck');
      await new Promise(() => setInterval(() => {}, 1000));
    }
    return { status: 'ok' as const, output: `out of ${id}` };
  },
};

const runs = createLocalRuns(deps);
if (action === 'start') {
  const nodes = Array.from({ length: 5 }, (_, index) => ({
    id: `n${index + 1}`,
    tool: 'tool',
    arguments: index === 0 ? {} : { x: { $from: `n${index}` } },
  }));
  const { plan } = buildPlan({ nodes }, anyTool);
  await savePlan(deps, 'default', compileForRuns(plan));
  await runs.start({ tenant: 'default', plan_id: plan.plan_id });
} else {
  const [id = ''] = await runs.resume();
  process.send?.(await runs.ended('default', id));
  await deps.table.close();
  process.disconnect?.();
}
