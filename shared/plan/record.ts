import type { Item } from '../kernel/ports.ts';
import { read } from '../kernel/stored.ts';
import type { PlanNode } from '../model/plan.ts';
import {
  type ApprovalBody,
  ApprovalItem,
  type AttemptBody,
  AttemptItem,
  type NodeRecord,
  type NodeResult,
  type RunBody,
  type RunError,
} from '../model/run.ts';
import { PERMANENT } from './node-states.ts';

/** Everything stored about one node of a run. */
export interface NodeRows {
  readonly attempts: readonly AttemptBody[];
  readonly approval?: ApprovalBody;
}

/** Reads the items of a run by node. */
export function rowsByNode(items: readonly Item[]): ReadonlyMap<string, NodeRows> {
  const rows = new Map<string, { attempts: AttemptBody[]; approval?: ApprovalBody }>();
  const rowsOf = (node: string) => {
    const known = rows.get(node) ?? { attempts: [] };
    rows.set(node, known);
    return known;
  };
  for (const item of items) {
    if (item.key.sk.endsWith('#ASK')) {
      const approval = read(item, ApprovalItem);
      rowsOf(approval.node).approval = approval;
    } else {
      const attempt = read(item, AttemptItem);
      rowsOf(attempt.node).attempts.push(attempt);
    }
  }
  for (const { attempts } of rows.values()) attempts.sort((a, b) => a.attempt - b.attempt);
  return rows;
}

/** The number of attempts that a node may take. */
const allowedAttempts = ({ on_failure }: PlanNode): number => (on_failure.policy === 'retry' ? on_failure.attempts : 1);

const isPermanent = (error: RunError): boolean => PERMANENT.some((name) => name === error.type);

/** What the stored attempts already decide: the node's result, its final failure, or undefined. */
export function settled(node: PlanNode, attempts: readonly AttemptBody[]): NodeResult | RunError | undefined {
  const done = attempts.find(({ status }) => status === 'ok');
  if (done?.result !== undefined) return done.result;
  const failed = attempts.filter(({ status }) => status === 'failed');
  const last = failed.at(-1)?.error;
  if (last === undefined) return undefined;
  return isPermanent(last) || failed.length >= allowedAttempts(node) ? last : undefined;
}

/** Closes an attempt that never ended: it timed out, or its process was lost. */
export function closeAttempt(attempt: AttemptBody, node: PlanNode, now: number): AttemptBody {
  const late = now - attempt.started_at >= node.timeout_seconds * 1000;
  const error = late
    ? { type: 'States.Timeout', message: `${node.id} took longer than ${node.timeout_seconds} s` }
    : { type: 'Interrupted', message: 'the process that ran it ended before it did' };
  return { ...attempt, status: late ? 'failed' : 'interrupted', ended_at: now, error };
}

export const toNodeRecord = (result: NodeResult): NodeRecord =>
  'ref' in result ? { s: 'ok', ref: result.ref } : { s: 'ok', v: result.value };

/** The run with its end; one that has ended already is unchanged. */
export function endRun(run: RunBody, end: RunEnd, now: number): RunBody {
  if (run.status !== 'running') return run;
  return { ...run, ...end, ended_at: now };
}

export type RunEnd = Pick<RunBody, 'status'> & { error?: RunError; outcomes?: NonNullable<RunBody['outcomes']> };

/** The end of a run, from the outcome of its execution. */
export function readRunEnd(
  outcome: { readonly status: string; readonly output?: unknown; readonly error?: string; readonly cause?: string },
  run: RunBody,
): RunEnd {
  if (outcome.status === 'SUCCEEDED') {
    const records = Object.entries((outcome.output ?? {}) as Readonly<Record<string, NodeRecord>>);
    const outcomes = records.map(([state, record]) => [run.order[Number(state.slice(1)) - 1] ?? state, record.s]);
    return { status: 'ok', outcomes: Object.fromEntries(outcomes) };
  }
  const error = { type: outcome.error || outcome.status, message: messageIn(outcome.cause ?? '') };
  if (outcome.status === 'ABORTED' || error.type === 'RunCancelled') {
    return { status: 'cancelled', error: { type: 'RunCancelled', message: 'the run was cancelled' } };
  }
  return { status: 'failed', error };
}

/** Step Functions puts what a function threw into the cause, as JSON. */
function messageIn(cause: string): string {
  try {
    const { errorMessage } = JSON.parse(cause) as { errorMessage?: unknown };
    return typeof errorMessage === 'string' ? errorMessage : cause;
  } catch {
    return cause;
  }
}
