import { engineTime } from '../../shared/adapters/node/engine-time.ts';
import type { Assay } from '../../shared/assay.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { HEARTBEAT_MS } from '../../shared/kernel/lease.ts';
import type { Blobs } from '../../shared/kernel/ports.ts';
import type { PlanNode } from '../../shared/model/plan.ts';
import type { LocalRuns } from '../../shared/plan/local-run-deps.ts';
import { createLocalRuns } from '../../shared/plan/local-runs.ts';
import { createNodeTurns } from '../../shared/plan/node-turns.ts';
import { runNode } from '../../shared/plan/run-node.ts';
import { settleRun } from '../../shared/plan/settle-calls.ts';
import { resolveVersion } from '../../shared/registry/versions.ts';

/** Runs plans in this process; runs of a process that died are resumed by any other server on the same store. */
export const localRuns = (assay: Assay, blobs: Blobs, isServer = false): LocalRuns => {
  const { table, clock, timers, random, log, tracer } = assay;
  const runs = createLocalRuns({
    table,
    blobs,
    clock,
    timers,
    random,
    log,
    tracer,
    turns: createNodeTurns({ turns: assay.turns, timers, queues: (tenant, node) => isBuiltin(assay, tenant, node) }),
    execute: (call) => runNode(assay, call),
    engine: engineTime(timers, () => Buffer.from(random(4)).readUInt32LE() / 2 ** 32),
    settle: (runs, tenant, id, isTakenOver) => settleRun(assay, runs, tenant, id, isTakenOver),
  });
  // A command that ends soon must not resume a server's runs.
  return isServer ? takingOver(assay, runs) : runs;
};

/** Builtin tools share a few child processes. */
const isBuiltin = async ({ catalogs }: Assay, tenant: string, { tool, version }: PlanNode): Promise<boolean> => {
  const entry = (await catalogs.of(tenant)).catalog.get(tool);
  return entry !== undefined && resolveVersion(entry.family, version)?.spec.implementation?.type === 'builtin';
};

const takingOver = ({ timers, log }: Assay, runs: LocalRuns): LocalRuns => {
  const look = (): void =>
    void runs.resume().then(
      (resumed) => void (resumed.length > 0 && log.info('runs resumed', { runs: resumed })),
      (error: unknown) => log.error('runs not resumed', { error: messageOf(error) }),
    );
  const stop = timers.every(HEARTBEAT_MS, look);
  look();
  return {
    start: (request) => runs.start(request),
    view: (tenant, id) => runs.view(tenant, id),
    confirm: (tenant, id, node, decision) => runs.confirm(tenant, id, node, decision),
    cancel: (tenant, id) => runs.cancel(tenant, id),
    done: (id) => runs.done?.(id),
    ended: (tenant, id) => runs.ended(tenant, id),
    resume: () => runs.resume(),
    close() {
      stop();
      return runs.close();
    },
  };
};
