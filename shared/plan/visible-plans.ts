import { type Confined, visibleTools } from '../access/visible-tools.ts';
import { Fault } from '../kernel/errors.ts';
import type { Blobs, Table } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import type { RunView } from '../model/run.ts';
import { requireBlobs } from './make-plan.ts';
import type { SavedPlan } from './run-deps.ts';
import { loadPlan } from './run-store.ts';

export interface SavedPlanContext {
  readonly table: Table;
  readonly blobs?: Blobs | undefined;
}

/** A saved plan of the caller's tenant; one with a tool that the key does not see is reported as unknown. */
export const findPlan = async (context: SavedPlanContext, actor: Actor, id: string): Promise<SavedPlan> => {
  const saved = await loadPlan({ table: context.table, blobs: requireBlobs(context) }, actor.tenant, id);
  if (saved && seesNodes(actor, saved.plan)) return saved;
  throw new Fault('NotFound', `there is no plan ${JSON.stringify(id)}; make one by POST /v1/plans`, { plan_id: id });
};

/** Whether a key sees all the tools of a plan, or of a run of one. */
export const seesNodes = (actor: Confined, { nodes }: Pick<RunView, 'nodes'> | SavedPlan['plan']): boolean => {
  const visible = visibleTools(actor);
  return nodes.every(({ tool }) => visible.has(tool));
};
