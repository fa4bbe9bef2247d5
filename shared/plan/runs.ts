import { Fault } from '../kernel/errors.ts';
import { approvalKey, deferredCallKey, runKey } from '../kernel/item-keys.ts';
import type { Write } from '../kernel/ports.ts';
import { put, read } from '../kernel/stored.ts';
import { currentTraceparent } from '../kernel/trace.ts';
import { type ApprovalBody, ApprovalItem, type RunBody, RunItem, type RunView } from '../model/run.ts';
import { countCalls } from './count-calls.ts';
import { type DeferredCall, DeferredCallItem } from './deferred-call.ts';
import type { RunDeps, SavedPlan } from './run-deps.ts';
import { changeRun, loadPlan, loadRows, loadRun, noRun, pack } from './run-store.ts';
import { viewRun } from './run-view.ts';
import { answerWith, type ExecutionInput } from './step.ts';
import type { PlanMachine } from './to-asl.ts';

/** The request to start a run. */
export interface RunRequest {
  readonly tenant: string;
  readonly plan_id: string;
  readonly input?: unknown;
  /** The id of a run that may have been started before; an existing run is returned. */
  readonly run_id?: string | undefined;
  /** The outermost run, of one that is started inside another. */
  readonly root?: string | undefined;
  /** The actor, passed back to `execute` with each call. */
  readonly actor?: unknown;
  /**
   * The call that the run completes, or the one that starts it: if its process dies, the process that resumes the run
   * charges it.
   */
  readonly call?: DeferredCall | undefined;
}

export interface ApprovalDecision {
  readonly approve: boolean;
  readonly approver: string;
}

/** Runs of plans, on this machine or on Step Functions. */
export interface Runs {
  /** Starts a run and returns its state; a synchronous run has ended by then. */
  start(request: RunRequest): Promise<RunView>;
  view(tenant: string, run: string): Promise<RunView | undefined>;
  /** Approves or denies a waiting node; refuses a second, different decision. */
  confirm(tenant: string, run: string, node: string, decision: ApprovalDecision): Promise<RunView>;
  cancel(tenant: string, run: string): Promise<RunView>;
  /** Resolves when this process is done with a run; undefined where another one has it. */
  readonly done?: (run: string) => Promise<void> | undefined;
}

/** The plan to run, as it was last saved; throws when there is none. */
export async function planToRun(deps: RunDeps, tenant: string, id: string): Promise<SavedPlan> {
  const saved = await loadPlan(deps, tenant, id);
  if (saved === undefined) throw new Fault('NotFound', `there is no plan ${id}`, { plan_id: id });
  return saved;
}

/** Stores a new run before it starts; an existing run with its id stays as it is. */
export async function openRun(
  deps: RunDeps,
  request: RunRequest,
  { plan, predicted }: SavedPlan,
  machine: PlanMachine,
  engine: RunBody['engine'],
  beside: (run: RunBody) => readonly Write[] = () => [],
): Promise<{ readonly run: RunBody; readonly isNew: boolean }> {
  const id = request.run_id ?? deps.clock.newId();
  const run: RunBody = {
    run_id: id,
    tenant: request.tenant,
    plan_id: plan.plan_id,
    machine: machine.hash,
    engine,
    order: [...machine.order],
    inline_bytes: machine.inline_bytes,
    predicted,
    input: await pack(deps, `runs/${request.tenant}/${id}/$input.json`, request.input ?? {}),
    actor: request.actor ?? null,
    traceparent: currentTraceparent(),
    status: 'running',
    started_at: deps.clock.now(),
  };
  await countCalls(deps, { ...request, run_id: id }, plan);
  const key = runKey(request.tenant, id);
  return deps.table.change<{ readonly run: RunBody; readonly isNew: boolean }>([key], ([item]) => {
    if (item) return { writes: [], result: { run: read(item, RunItem), isNew: false } };
    const call = request.call ? [put(deferredCallKey(run.tenant, id), DeferredCallItem, request.call)] : [];
    return { writes: [put(key, RunItem, run), ...call, ...beside(run)], result: { run, isNew: true } };
  });
}

/** The input of a run's execution. */
export function executionInput(run: RunBody, { plan }: SavedPlan): ExecutionInput {
  const byId = new Map(plan.nodes.map((node) => [node.id, node]));
  return {
    v: 1,
    tenant: run.tenant,
    run: run.run_id,
    plan: run.plan_id,
    timeouts: run.order.map((id) => byId.get(id)?.timeout_seconds ?? 1),
    approvals: run.order.map((id) => byId.get(id)?.confirm_timeout_seconds ?? 1),
    traceparent: run.traceparent,
  };
}

/** The input of a resumed run: approvals that were asked for before keep their deadline. */
export async function remainingInput(deps: RunDeps, run: RunBody, saved: SavedPlan): Promise<ExecutionInput> {
  const rows = await loadRows(deps, run.tenant, run.run_id);
  const input = executionInput(run, saved);
  const now = deps.clock.now();
  const approvals = run.order.map((id, index) => {
    const expires = rows.get(id)?.approval?.expires_at;
    return expires === undefined ? (input.approvals[index] ?? 1) : Math.max(1, Math.ceil((expires - now) / 1000));
  });
  return { ...input, approvals };
}

/** The state of a run, derived from its rows; undefined when there is none. */
export async function loadView(deps: RunDeps, tenant: string, id: string): Promise<RunView | undefined> {
  const run = await loadRun(deps, tenant, id);
  if (run === undefined) return undefined;
  const saved = await deps.plan(tenant, run.plan_id);
  if (saved === undefined) throw new Fault('NotFound', `the plan ${run.plan_id} of run ${id} is gone`);
  return viewRun(saved.plan, run, await loadRows(deps, tenant, id));
}

/** Decides a pending approval and returns it. */
export async function decideApproval(
  deps: RunDeps,
  tenant: string,
  id: string,
  node: string,
  decision: ApprovalDecision,
): Promise<void> {
  const run = await loadRun(deps, tenant, id);
  if (run === undefined) throw noRun(id);
  const wanted = decision.approve ? 'approved' : 'denied';
  const { approval, isNew } = await deps.table.change([approvalKey(tenant, id, node)], ([item]) => {
    if (item === undefined)
      throw new Fault('NotFound', `node ${node} of run ${id} does not wait for approval`, { node });
    const before = read(item, ApprovalItem);
    if (before.decision === wanted) return { writes: [], result: { approval: before, isNew: false } };
    if (before.decision !== undefined || run.status !== 'running') {
      const state = before.decision ?? `part of a run that is ${run.status}`;
      throw new Fault('Conflict', `node ${node} of run ${id} is already ${state}`, { node });
    }
    const body: ApprovalBody = {
      ...before,
      decision: wanted,
      decided_at: deps.clock.now(),
      approver: decision.approver,
    };
    return { writes: [put(item.key, ApprovalItem, body)], result: { approval: body, isNew: true } };
  });
  if (isNew) await answerWith(deps, approval);
}

/** Sets the cancellation flag that stops every further step; a run that has ended is unchanged. */
export async function requestCancel(deps: RunDeps, tenant: string, id: string): Promise<RunBody> {
  return changeRun(deps, tenant, id, (run) => {
    const isOpen = run.status === 'running' && run.cancel_requested_at === undefined;
    return isOpen ? { ...run, cancel_requested_at: deps.clock.now() } : run;
  });
}
