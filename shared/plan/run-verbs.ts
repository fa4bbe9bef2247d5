import { requireScope } from '../access/scopes.ts';
import { visibleTools } from '../access/visible-tools.ts';
import { operationPrice, type Prices } from '../execute/billing/prices.ts';
import type { Caller, CallOptions, LayerContext } from '../execute/call.ts';
import { OPERATION, runOperation } from '../execute/operation.ts';
import { makeQuote, type Quote } from '../execute/spend.ts';
import { Fault } from '../kernel/errors.ts';
import { planKey } from '../kernel/item-keys.ts';
import { LEASE_MS } from '../kernel/lease.ts';
import type { Table } from '../kernel/ports.ts';
import type { Actor } from '../model/key.ts';
import type { RunView } from '../model/run.ts';
import { type DeferredCall, readDeferredCall, startedRecord } from './deferred-call.ts';
import { toRunActor } from './run-actor.ts';
import type { RunRequest, Runs } from './runs.ts';
import { findPlan, type SavedPlanContext, seesNodes } from './visible-plans.ts';

export interface RunContext {
  /** Absent in processes that run no plans. */
  readonly runs?: Runs | undefined;
}

interface SeenRunContext extends RunContext {
  readonly table: Table;
}

/** Starts a run for a caller, charged as one call; its nodes are calls of their own. */
export const startRun = async (
  context: RunContext & LayerContext & SavedPlanContext & { readonly prices?: Prices | undefined },
  actor: Actor,
  asked: Pick<RunRequest, 'plan_id' | 'input'>,
  signal?: Caller,
  options: CallOptions = {},
): Promise<RunView> => {
  requireScope(actor, 'invoke');
  const runs = requireRuns(context);
  await requireSeenPlan(context, actor, asked.plan_id);
  const request: RunRequest = { ...asked, tenant: actor.tenant, actor: toRunActor(actor) };
  // The run has the id of the call that starts it, so that a retry repeats neither.
  const once = options.once ?? { id: context.clock.newId() };
  const fee = runCharge(context, actor, asked, once.id);
  const { value } = await runOperation(
    context,
    actor,
    {
      name: 'run',
      arguments: { plan_id: asked.plan_id, input: asked.input },
      priceMicros: fee.reservation.micros,
      async work() {
        const run = await runs.start({ ...request, run_id: once.id, call: fee });
        return { value: run, output: { run_id: run.run_id, status: run.status } };
      },
    },
    signal,
    { ...options, once },
  );
  return value;
};

/** The call that starts a run, stored so that another process can charge it if this one dies. */
const runCharge = (
  { clock, prices }: Pick<LayerContext, 'clock'> & { readonly prices?: Prices | undefined },
  { tenant, keyId, key }: Actor,
  { plan_id, input }: Pick<RunRequest, 'plan_id' | 'input'>,
  id: string,
): DeferredCall => {
  const at = clock.now();
  const micros = operationPrice(prices, 'run');
  const about = { id, tenant, keyId, tool: 'run', version: OPERATION, at, timeoutMs: 0 };
  const call = { ...about, priceMicros: micros, quota: key?.quota };
  const record = { ...startedRecord(call, { plan_id, input }), output: { run_id: id, status: 'running' } };
  const reservation = { call, micros };
  return { record, reservation, deadline: at + LEASE_MS, fee: true };
};

/** What starting a run would cost; its nodes are priced as calls of their own. */
export const quoteRun = async (
  context: RunContext & LayerContext & SavedPlanContext & { readonly prices?: Prices | undefined },
  actor: Actor,
  planId: string,
  maxMicros?: number,
): Promise<Quote> => {
  requireScope(actor, 'invoke');
  requireRuns(context);
  await requireSeenPlan(context, actor, planId);
  if (!(await context.table.get(planKey(actor.tenant, planId))))
    throw new Fault('NotFound', `there is no plan ${JSON.stringify(planId)}`, { plan_id: planId });
  return makeQuote('run', operationPrice(context.prices, 'run'), maxMicros);
};

/** Reports a plan as unknown to a key that does not see all of its tools. */
const requireSeenPlan = async (context: SavedPlanContext, actor: Actor, planId: string): Promise<void> => {
  if (visibleTools(actor).only !== undefined) await findPlan(context, actor, planId);
};

/** A run of the caller's tenant, with its nodes and attempts. */
export const getRun = async (context: SeenRunContext, actor: Actor, id: string): Promise<RunView> => {
  requireScope(actor, 'read');
  return requireSeenRun(context, actor, id);
};

/** Approves or denies a waiting node. */
export const confirmNode = async (
  context: SeenRunContext,
  actor: Actor,
  { run, node, approve }: { readonly run: string; readonly node: string; readonly approve: boolean },
): Promise<RunView> => {
  requireScope(actor, 'approve');
  await requireSeenRun(context, actor, run);
  return requireRuns(context).confirm(actor.tenant, run, node, { approve, approver: actor.keyId });
};

export const cancelRun = async (context: SeenRunContext, actor: Actor, id: string): Promise<RunView> => {
  requireScope(actor, 'invoke');
  await requireSeenRun(context, actor, id);
  return requireRuns(context).cancel(actor.tenant, id);
};

/** The run as the key may see it: a confined key needs to see all of its tools, or to have started it. */
export const findSeenRun = async (context: SeenRunContext, actor: Actor, id: string): Promise<RunView | undefined> => {
  const run = await requireRuns(context).view(actor.tenant, id);
  if (run === undefined || seesNodes(actor, run)) return run;
  const call = await readDeferredCall(context.table, actor.tenant, id);
  return call?.record.key === actor.keyId ? run : undefined;
};

const requireSeenRun = async (context: SeenRunContext, actor: Actor, id: string): Promise<RunView> => {
  const run = await findSeenRun(context, actor, id);
  if (run) return run;
  throw new Fault('NotFound', `there is no run ${JSON.stringify(id)}`, { run_id: id });
};

const requireRuns = ({ runs }: RunContext): Runs => {
  if (runs) return runs;
  throw new Fault('Unavailable', 'plans cannot run in this process');
};
