import { Fault } from '../kernel/errors.ts';
import { innerCallsKey } from '../kernel/item-keys.ts';
import type { Plan } from '../model/plan.ts';
import type { RunDeps } from './run-deps.ts';
import { loadRun } from './run-store.ts';

/** The calls of one run, with those of all plans inside it. Three levels of 200 nodes would else be 8 million. */
const MAX_CALLS = 1000;

interface Started {
  readonly tenant: string;
  readonly run_id: string;
  /** The outermost run; undefined for one that is not inside another. */
  readonly root?: string | undefined;
}

/**
 * Refuses a run inside another one whose nodes would exceed the limit, before any of them runs. The count is stored
 * with the outermost run; a run that is started again counts once.
 */
export const countCalls = async (deps: RunDeps, { tenant, run_id: id, root }: Started, plan: Plan): Promise<void> => {
  if (root === undefined || (await loadRun(deps, tenant, id))) return;
  const outer = (await loadRun(deps, tenant, root))?.order.length ?? 0;
  const [key, calls] = [innerCallsKey(tenant, root), plan.nodes.length];
  if (await deps.table.count(key, { calls }, { calls: MAX_CALLS - outer })) return;
  const before = outer + Number((await deps.table.get(key))?.body.calls ?? 0);
  throw new Fault(
    'InvalidInput',
    `the plan ${plan.plan_id.slice(0, 12)} has ${calls} nodes, and the run ${root} with the plans inside it has ${before} already; ${MAX_CALLS} are allowed together; split its input over several runs`,
    { plan_id: plan.plan_id, run_id: root, calls: before + calls, limit: MAX_CALLS },
  );
};
