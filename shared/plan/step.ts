import * as z from 'zod';
import { Fault, messageOf } from '../kernel/errors.ts';
import { approvalKey, attemptKey } from '../kernel/item-keys.ts';
import { put, read } from '../kernel/stored.ts';
import { continueTrace } from '../kernel/tracer.ts';
import type { PlanNode } from '../model/plan.ts';
import {
  type ApprovalBody,
  ApprovalItem,
  type AttemptBody,
  AttemptItem,
  NodeRecord,
  type NodeResult,
  type RunBody,
} from '../model/run.ts';
import { keepAttemptLease, lastSeen, newAttemptLease, rowsWhenFree } from './attempt-lease.ts';
import { countRetry } from './count-calls.ts';
import { closeAttempt, type NodeRows, settled, toNodeRecord } from './record.ts';
import { resolveArguments } from './resolve-arguments.ts';
import type { NodeOutcome, RunDeps, SavedPlan } from './run-deps.ts';
import { changeFenced, loadRun, noRun, pack, unpack } from './run-store.ts';

/** The input of an execution. Times are in seconds, by the number of the state. */
export const ExecutionInput = z.strictObject({
  v: z.literal(1),
  tenant: z.string(),
  run: z.string(),
  plan: z.string(),
  timeouts: z.array(z.int().positive()),
  approvals: z.array(z.int().positive()),
  traceparent: z.string().optional(),
});
export type ExecutionInput = Readonly<z.infer<typeof ExecutionInput>>;

/** The event of a state: run a node with the records of others, or ask a person to approve it. */
export const StepEvent = z.union([
  z.strictObject({ node: z.string(), input: ExecutionInput, results: z.record(z.string(), NodeRecord) }),
  z.strictObject({ ask: z.string(), input: ExecutionInput, task_token: z.string() }),
]);
export type StepEvent = Readonly<z.infer<typeof StepEvent>>;

/** A failure with the name on which the state machine matches. */
export class StepFailure extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * Runs one node of a run, or requests its approval, and records each step in the table.
 * A node that already has a result returns it without running, so a step is idempotent.
 */
export async function runStep(deps: RunDeps, event: StepEvent, signal?: AbortSignal): Promise<NodeRecord | undefined> {
  const { tenant, run: id } = event.input;
  const run = await loadRun(deps, tenant, id);
  if (run === undefined) throw noRun(id);
  if (run.cancel_requested_at !== undefined) throw new StepFailure('RunCancelled', 'the run was cancelled');
  const saved = await deps.plan(tenant, run.plan_id);
  if (saved === undefined) throw new Fault('NotFound', `the plan ${run.plan_id} of the run is gone`);
  if ('ask' in event) {
    await ask(deps, run, nodeOf(event.ask, run, saved), event.task_token);
    return undefined;
  }
  return runNodeOnce(deps, run, nodeOf(event.node, run, saved), event, signal);
}

/** The known result of a node, or that of one attempt; where another delivery of the step was first, its result. */
async function runNodeOnce(
  deps: RunDeps,
  run: RunBody,
  node: PlanNode,
  { input, results }: Extract<StepEvent, { node: string }>,
  signal: AbortSignal | undefined,
): Promise<NodeRecord> {
  for (;;) {
    const rows = await rowsWhenFree(deps, run, node.id, signal);
    const known = settled(node, rows.attempts);
    if (known !== undefined && 'type' in known) throw new StepFailure(known.type, known.message);
    if (known !== undefined) return toNodeRecord(known);
    const begun = await begin(deps, run, node, rows);
    const trace = { name: `node ${node.id}`, traceparent: input.traceparent };
    if (begun) return continueTrace(deps.tracer, trace, () => attempt(deps, run, node, begun, rows, results, signal));
    if (!deps.attemptLeases) throw new Fault('Conflict', `another attempt at node ${node.id} is already running`);
  }
}

/** The node of a state. */
export function nodeOf(state: string, run: RunBody, { plan }: SavedPlan): PlanNode {
  const id = run.order[Number(state.slice(1)) - 1];
  const node = plan.nodes.find((one) => one.id === id);
  if (node === undefined) throw new Fault('InvalidInput', `state ${state} is not a node of plan ${plan.plan_id}`);
  return node;
}

async function attempt(
  deps: RunDeps,
  run: RunBody,
  node: PlanNode,
  { open, cutOff }: Begun,
  rows: NodeRows,
  results: Readonly<Record<string, NodeRecord>>,
  signal: AbortSignal | undefined,
): Promise<NodeRecord> {
  const heartbeat = keepAttemptLease(deps, run, open);
  const isLost = deps.fence?.isLost ?? heartbeat?.isLost;
  let { result } = open;
  const keep = async (output: unknown): Promise<NodeResult> => {
    await deps.turns?.take(run.tenant);
    const key = `runs/${run.tenant}/${run.run_id}/${node.id}.json`;
    result = await pack(deps, key, output, run.inline_bytes);
    return result;
  };
  try {
    // A call that was cut off is the same one, and counted.
    if (open.attempt > 1 && !cutOff) await countRetry(deps, run, node);
    const given = await resolveArguments(deps, run, node, results);
    const work = deps.execute({
      tenant: run.tenant,
      runId: run.run_id,
      node,
      arguments: given,
      attempt: open.attempt,
      actor: run.actor,
      approvedBy: rows.approval?.approver,
      signal,
      callId: open.call_id ?? '',
      cutOff: cutOff ? { answer: result && { output: await unpack(deps, result) } } : undefined,
      answered: async (output) => finish(deps, run, { ...open, result: await keep(output) }),
      isLost,
    });
    const outcome = await unlessStopped(work, signal);
    if (outcome.status === 'failed') {
      throw new StepFailure(outcome.error?.type ?? 'ToolExecutionError', outcome.error?.message ?? 'the tool failed');
    }
    const kept = result ?? (await keep(outcome.output));
    const callId = outcome.call_id ?? open.call_id;
    await finish(deps, run, { ...open, call_id: callId, status: 'ok', ended_at: deps.clock.now(), result: kept });
    return toNodeRecord(kept);
  } catch (thrown) {
    // Left open for the process that takes over: losing the lease says nothing about the node.
    if (isLost?.()) throw thrown;
    const late = signal?.aborted ? closeAttempt({ ...open, result }, node, deps.clock.now()) : undefined;
    const type = thrown instanceof Error ? thrown.name : 'Error';
    const failed: AttemptBody = {
      ...open,
      status: 'failed',
      ended_at: deps.clock.now(),
      error: { type, message: messageOf(thrown) },
    };
    await finish(deps, run, late ?? failed);
    throw thrown;
  } finally {
    heartbeat?.stop();
  }
}

/** Rejects when the state times out, even if the tool ignores the signal. */
async function unlessStopped(work: Promise<NodeOutcome>, signal: AbortSignal | undefined): Promise<NodeOutcome> {
  if (signal === undefined) return work;
  const givenUp = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new StepFailure('Aborted', 'the state gave up waiting'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, givenUp]);
}

interface Begun {
  readonly open: AttemptBody;
  /** Whether it resumes a call that an earlier process began. */
  readonly cutOff: boolean;
}

/**
 * Starts the next attempt; one left open by a crashed process is closed first, and its call resumed. Undefined when the
 * attempts have changed since they were read.
 */
async function begin(deps: RunDeps, run: RunBody, node: PlanNode, { attempts }: NodeRows): Promise<Begun | undefined> {
  const now = deps.clock.now();
  const key = (number: number) => attemptKey(run.tenant, run.run_id, node.id, number);
  // Under a lease of the run, the owner ends its attempts in time, so any other open attempt was interrupted.
  const seenAt = (open: AttemptBody): number => (deps.fence ? open.started_at : lastSeen(open, now));
  const left = attempts
    .filter(({ status }) => status === 'running')
    .map((one) => ({ ...closeAttempt(one, node, seenAt(one)), ended_at: now }));
  const last = left.at(-1) ?? attempts.at(-1);
  const cut = last?.status === 'interrupted' && last.call_id !== undefined ? last : undefined;
  const open: AttemptBody = {
    node: node.id,
    attempt: (attempts.at(-1)?.attempt ?? 0) + 1,
    status: 'running',
    started_at: now,
    call_id: cut?.call_id ?? deps.clock.newId(),
    result: cut?.result,
    lease: newAttemptLease(deps, attempts.at(-1)),
  };
  const closed = left.map((body) => put(key(body.attempt), AttemptItem, body));
  const keys = [open, ...left].map((body) => key(body.attempt));
  return changeFenced<Begun | undefined>(deps, keys, ([item, ...known]) => {
    const isChanged = item !== undefined || known.some((one) => one && read(one, AttemptItem).status !== 'running');
    if (isChanged) return { writes: [], result: undefined };
    return {
      writes: [...closed, put(key(open.attempt), AttemptItem, open)],
      result: { open, cutOff: cut !== undefined },
    };
  });
}

/** Stores the end of an attempt, unless it has been closed in the meantime. */
async function finish(deps: RunDeps, run: RunBody, body: AttemptBody): Promise<void> {
  await changeFenced(deps, [attemptKey(run.tenant, run.run_id, body.node, body.attempt)], ([item]) => {
    const stored = item && read(item, AttemptItem);
    if (!item || stored?.status !== 'running') return { writes: [], result: undefined };
    // The heartbeat has renewed the lease meanwhile, so the stored one is kept.
    return { writes: [put(item.key, AttemptItem, { ...body, lease: stored.lease })], result: undefined };
  });
}

/** Stores the token for the decision; a decision made earlier, as before a restart, is answered at once. */
async function ask(deps: RunDeps, run: RunBody, node: PlanNode, token: string): Promise<void> {
  const now = deps.clock.now();
  const stored = await changeFenced(deps, [approvalKey(run.tenant, run.run_id, node.id)], ([item]) => {
    const before = item && read(item, ApprovalItem);
    const first = {
      node: node.id,
      asked_at: now,
      expires_at: now + node.confirm_timeout_seconds * 1000,
    };
    const body: ApprovalBody = { ...(before ?? first), token };
    return { writes: [put(approvalKey(run.tenant, run.run_id, node.id), ApprovalItem, body)], result: body };
  });
  if (stored.decision !== undefined) await answerWith(deps, stored);
}

/** Resumes or fails the waiting state. */
export async function answerWith(deps: Pick<RunDeps, 'answer'>, approval: ApprovalBody): Promise<void> {
  const approver = approval.approver ?? 'a person';
  if (approval.decision === 'approved') await deps.answer(approval.token, { ok: true, output: { approver } });
  else await deps.answer(approval.token, { ok: false, error: 'ApprovalDenied', cause: `denied by ${approver}` });
}
