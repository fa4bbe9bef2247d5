import { Fault } from '../kernel/errors.ts';
import { innerCallsKey } from '../kernel/item-keys.ts';
import type { Plan, PlanNode } from '../model/plan.ts';
import type { RunBody } from '../model/run.ts';
import { RunActor } from './run-actor.ts';
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
  const calls = plan.nodes.length;
  const before = await count(deps, tenant, root, calls);
  if (before === undefined) return;
  throw new Fault(
    'InvalidInput',
    `the plan ${plan.plan_id.slice(0, 12)} has ${calls} nodes, and the run ${root} with the plans inside it has ${before} already; ${MAX_CALLS} are allowed together; split its input over several runs`,
    { plan_id: plan.plan_id, run_id: root, calls: before + calls, limit: MAX_CALLS },
  );
};

/** Refuses a further attempt of a node that would exceed the limit; the first ones are counted with their run. */
export const countRetry = async (deps: RunDeps, run: RunBody, { id }: PlanNode): Promise<void> => {
  const root = RunActor.safeParse(run.actor).data?.root ?? run.run_id;
  const before = await count(deps, run.tenant, root, 1);
  if (before === undefined) return;
  throw new Fault(
    'InvalidInput',
    `the node ${id} is not tried again: the run ${root} with the plans inside it has made ${before} calls, retries among them; ${MAX_CALLS} are allowed together; let its nodes retry less often, or split its input over several runs`,
    { node: id, run_id: root, calls: before + 1, limit: MAX_CALLS },
  );
};

/** Undefined when they were counted; where that would exceed the limit, the calls before them. */
const count = async (deps: RunDeps, tenant: string, root: string, calls: number): Promise<number | undefined> => {
  const outer = (await loadRun(deps, tenant, root))?.order.length ?? 0;
  const key = innerCallsKey(tenant, root);
  if (await deps.table.count(key, { calls }, { calls: MAX_CALLS - outer })) return undefined;
  return outer + Number((await deps.table.get(key))?.body.calls ?? 0);
};
