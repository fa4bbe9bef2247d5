import { engineTime } from '../../shared/adapters/node/engine-time.ts';
import type { ExecuteContext } from '../../shared/execute/execute.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Blobs } from '../../shared/kernel/ports.ts';
import { createLocalRuns, type LocalRuns } from '../../shared/plan/local-runs.ts';
import { runNode } from '../../shared/plan/run-node.ts';

/** Runs plans in this process; what a process that died has left is taken up by the next. */
export const localRuns = (context: ExecuteContext, blobs: Blobs, isServer = false): LocalRuns => {
  const runs = createLocalRuns({
    table: context.table,
    blobs,
    clock: context.clock,
    execute: (call) => runNode(context, call),
    engine: engineTime(),
    owner: String(process.pid),
    isAlive,
    log: context.log,
  });
  // A command that ends at once must not take up what a server left.
  if (isServer)
    runs.resume().then(
      (resumed) => void (resumed.length > 0 && context.log.info('runs resumed', { runs: resumed })),
      (error: unknown) => context.log.error('runs not resumed', { error: messageOf(error) }),
    );
  return runs;
};

const isAlive = (owner: string): boolean => {
  try {
    process.kill(Number(owner), 0);
    return true;
  } catch {
    return false;
  }
};
