import type { Plan, PlanNode } from '../model/plan.ts';
import type { AttemptBody, AttemptView, NodeStatus, NodeView, RunBody, RunView } from '../model/run.ts';
import { maySkip } from './node-states.ts';
import { orderNodes } from './order.ts';
import { type NodeRows, settled } from './record.ts';
import { fillReferences, valueAt } from './reference.ts';

interface Settled {
  readonly view: NodeView;
  /** When the node was settled, for the readiness of its dependants. */
  readonly at: number | undefined;
}

const NO_ROWS: NodeRows = { attempts: [] };

/** Derives a run's state from its rows alone, whatever happened to its process. */
export function viewRun(plan: Plan, run: RunBody, rows: ReadonlyMap<string, NodeRows>): RunView {
  const byId = new Map(plan.nodes.map((node) => [node.id, node]));
  const views = new Map<string, Settled>();
  for (const id of orderNodes(plan.nodes).ids) {
    const node = byId.get(id);
    if (node !== undefined) views.set(id, viewNode(node, run, rows.get(id) ?? NO_ROWS, byId, views));
  }
  const nodes = plan.nodes.flatMap(({ id }) => views.get(id)?.view ?? []);
  return {
    run_id: run.run_id,
    plan_id: run.plan_id,
    status: run.status,
    engine: run.engine,
    machine: run.machine,
    predicted: run.predicted,
    started_at: iso(run.started_at),
    ended_at: iso(run.ended_at),
    duration_ms: run.ended_at && run.ended_at - run.started_at,
    cancel_requested_at: iso(run.cancel_requested_at),
    error: run.error,
    output: run.status === 'ok' ? collectOutput(plan, nodes) : undefined,
    nodes,
  };
}

function viewNode(
  node: PlanNode,
  run: RunBody,
  rows: NodeRows,
  byId: ReadonlyMap<string, PlanNode>,
  views: ReadonlyMap<string, Settled>,
): Settled {
  const before = node.after.flatMap((id) => views.get(id) ?? []);
  const readyAt = readiness(before, run);
  const { status, reason } = deriveStatus(node, run, rows, byId, views);
  const started = rows.attempts[0]?.started_at;
  const last = rows.attempts.at(-1);
  const done = rows.attempts.find((attempt) => attempt.status === 'ok');
  const isSettled = ['ok', 'skipped', 'denied', 'failed'].includes(status);
  const view: NodeView = {
    id: node.id,
    tool: node.tool,
    version: node.version,
    status,
    reason,
    ready_at: iso(readyAt),
    started_at: iso(started),
    ended_at: iso(last?.ended_at),
    attempts: rows.attempts.map((attempt) => viewAttempt(attempt, run)),
    ...readResult(done),
    approval: viewApproval(rows, run, status === 'waiting_approval' ? askedArguments(node, views) : undefined),
    from_upstream: node.from_upstream,
    idempotency_key: `${run.run_id}/${node.id}`,
  };
  return { view, at: isSettled ? (last?.ended_at ?? rows.approval?.decided_at ?? readyAt) : undefined };
}

/** When the last dependency was settled; undefined while one is unsettled. */
function readiness(before: readonly Settled[], run: RunBody): number | undefined {
  let latest = run.started_at;
  for (const { at } of before) {
    if (at === undefined) return undefined;
    latest = Math.max(latest, at);
  }
  return latest;
}

interface Standing {
  readonly status: NodeStatus;
  readonly reason?: string;
}

function deriveStatus(
  node: PlanNode,
  run: RunBody,
  rows: NodeRows,
  byId: ReadonlyMap<string, PlanNode>,
  views: ReadonlyMap<string, Settled>,
): Standing {
  const missing = node.after.find((id) => {
    const [status, other] = [views.get(id)?.view.status, byId.get(id)];
    const isMissing = status === 'skipped' || (status === 'denied' && other !== undefined && maySkip(other));
    return isMissing && other?.on_failure.downstream === 'skip';
  });
  if (missing !== undefined) return { status: 'skipped', reason: `${missing} has no result` };
  return fromRows(node, run, rows) ?? fromOutcome(node, run, rows) ?? { status: 'pending' };
}

function fromRows(node: PlanNode, run: RunBody, { attempts, approval }: NodeRows): Standing | undefined {
  const known = settled(node, attempts);
  if (known !== undefined && !('type' in known)) return { status: 'ok' };
  if (known !== undefined) {
    return { status: maySkip(node) ? 'skipped' : 'failed', reason: `${known.type}: ${known.message}` };
  }
  if (approval?.decision === 'denied') {
    return { status: 'denied', reason: `denied by ${approval.approver ?? 'a person'}` };
  }
  const isOpen = attempts.length > 0 || approval !== undefined;
  if (!isOpen || run.outcomes?.[node.id] !== undefined) return undefined;
  if (approval !== undefined && timedOut(approval.expires_at, approval.decision, run)) {
    return { status: 'denied', reason: 'nobody answered in time' };
  }
  if (run.status !== 'running') return { status: 'aborted', reason: run.error?.type ?? run.status };
  return { status: approval !== undefined && approval.decision === undefined ? 'waiting_approval' : 'running' };
}

/** The outcome that the execution reported for a node without a final row, as after the loss of its process. */
function fromOutcome(node: PlanNode, run: RunBody, { attempts, approval }: NodeRows): Standing | undefined {
  const outcome = run.outcomes?.[node.id];
  if (outcome === undefined) return undefined;
  if (outcome === 'denied')
    return { status: outcome, reason: approval === undefined ? 'denied' : 'nobody answered in time' };
  const error = attempts.findLast((attempt) => attempt.error !== undefined)?.error;
  return error === undefined || outcome === 'ok' ? { status: outcome } : { status: outcome, reason: error.type };
}

const timedOut = (expiresAt: number, decision: string | undefined, run: RunBody): boolean =>
  decision === undefined && run.ended_at !== undefined && run.ended_at >= expiresAt;

function viewAttempt(attempt: AttemptBody, run: RunBody): AttemptView {
  const cut = attempt.status === 'running' && run.status !== 'running';
  return {
    attempt: attempt.attempt,
    status: cut ? 'aborted' : attempt.status,
    started_at: iso(attempt.started_at),
    ended_at: iso(attempt.ended_at),
    error: attempt.error,
    call_id: attempt.call_id,
  };
}

function readResult(done: AttemptBody | undefined): { result?: unknown; result_ref?: string } {
  if (done?.result === undefined) return {};
  return 'ref' in done.result ? { result_ref: done.result.ref } : { result: done.result.value };
}

type Arguments = Readonly<Record<string, unknown>>;

function viewApproval({ approval }: NodeRows, run: RunBody, asked: Arguments | undefined): NodeView['approval'] {
  if (approval === undefined) return undefined;
  const late = timedOut(approval.expires_at, approval.decision, run) ? 'timed_out' : undefined;
  const decision = approval.decision ?? late;
  return {
    asked_at: iso(approval.asked_at),
    expires_at: iso(approval.expires_at),
    decision,
    decided_at: iso(approval.decided_at),
    approver: approval.approver,
    arguments: asked,
  };
}

/** The arguments a person is asked to approve, with the outputs of earlier nodes filled in as far as the run shows them. */
function askedArguments(node: PlanNode, views: ReadonlyMap<string, Settled>): Arguments {
  return fillReferences(node.arguments, node.id, ({ source, path, text }) => {
    const before = views.get(source)?.view;
    if (before?.status === 'skipped' || before?.status === 'denied') return null;
    return valueAt(before?.result, path) ?? { $from: text };
  }) as Arguments;
}

/** The results of the nodes without dependants; null for one that was skipped. */
function collectOutput(plan: Plan, nodes: readonly NodeView[]): Readonly<Record<string, unknown>> {
  const used = new Set(plan.edges.map(({ from }) => from));
  const last = nodes.filter(({ id }) => !used.has(id));
  return Object.fromEntries(
    last.map(({ id, result, result_ref: ref }) => [id, ref === undefined ? (result ?? null) : { $ref: ref }]),
  );
}

function iso(time: number): string;
function iso(time: number | undefined): string | undefined;
function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
