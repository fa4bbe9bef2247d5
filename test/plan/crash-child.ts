import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileBlobs } from '../../shared/adapters/files/blobs.ts';
import { engineTime } from '../../shared/adapters/node/engine-time.ts';
import { sqliteTable } from '../../shared/adapters/sqlite/table.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { buildPlan } from '../../shared/plan/build.ts';
import { createLocalRuns } from '../../shared/plan/local-runs.ts';
import { savePlan } from '../../shared/plan/run-store.ts';
import { anyTool } from '../bench/random-plans.ts';
import { compileForRuns } from './run-plan.ts';

// Runs a chain of five nodes on a data directory, or goes on with what another process has left there.
const [directory = '', action = ''] = process.argv.slice(2);

const deps = {
  table: sqliteTable({ path: join(directory, 'assay.db') }),
  blobs: fileBlobs(directory),
  clock: systemClock(),
  engine: engineTime(),
  owner: String(process.pid),
  isAlive: () => false,
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
