import { createHash } from 'node:crypto';
import type { Plan, PlanNode } from '../../shared/model/plan.ts';

/** What befalls a node: how its first attempts fail, after which it succeeds, and what a person says. */
export interface Fate {
  /** `hang` never ends; the others are names of errors. */
  readonly failures: readonly string[];
  readonly answer: 'approve' | 'deny' | 'silence';
}

export type Fates = ReadonlyMap<string, Fate>;

export interface Expected {
  readonly status: 'ok' | 'failed';
  /** The errors of nodes that may have stopped the run. */
  readonly errors: ReadonlySet<string>;
  readonly nodes: ReadonlyMap<string, ExpectedNode>;
}

export interface ExpectedNode {
  readonly status: 'ok' | 'skipped' | 'denied' | 'failed' | 'unknown';
  readonly attempts: number;
  readonly output?: unknown;
}

/** What the tools of the tests answer: a digest of what they were given. */
export const answerOf = (given: unknown): { readonly value: string } => ({
  value: createHash('sha1').update(JSON.stringify(given)).digest('hex').slice(0, 12),
});

const PERMANENT = new Set(['InvalidInput', 'Forbidden', 'NotFound']);

/**
 * Says what must become of a plan by walking it node by node, knowing nothing of trees, machines or engines.
 * Below a node that stops the run, anything may or may not have happened.
 */
export function evaluate(plan: Plan, fates: Fates): Expected {
  const nodes = new Map<string, ExpectedNode>();
  const errors = new Set<string>();
  const left = [...plan.nodes];
  while (left.length > 0) {
    const index = left.findIndex((node) => node.after.every((id) => nodes.has(id)));
    const [node] = left.splice(index, 1);
    if (node === undefined) throw new Error('the plan has a cycle');
    const { error, ...result } = evaluateNode(
      node,
      plan,
      nodes,
      fates.get(node.id) ?? { failures: [], answer: 'approve' },
    );
    if (result.status === 'failed' && error !== undefined) errors.add(error);
    nodes.set(node.id, result);
  }
  return { status: errors.size > 0 ? 'failed' : 'ok', errors, nodes };
}

function evaluateNode(
  node: PlanNode,
  plan: Plan,
  nodes: ReadonlyMap<string, ExpectedNode>,
  fate: Fate,
): ExpectedNode & { readonly error?: string } {
  const before = node.after.map((id) => ({
    status: nodes.get(id)?.status,
    policy: plan.nodes.find((one) => one.id === id)?.on_failure,
  }));
  if (before.some(({ status }) => status === 'failed' || status === 'unknown'))
    return { status: 'unknown', attempts: 0 };
  if (before.some(({ status, policy }) => status !== 'ok' && policy?.downstream === 'skip'))
    return { status: 'skipped', attempts: 0 };

  const policy = node.on_failure;
  const skips = policy.policy === 'skip' || (policy.policy === 'retry' && policy.then === 'skip');
  if (node.confirm && fate.answer !== 'approve') {
    const error = fate.answer === 'deny' ? 'ApprovalDenied' : 'States.Timeout';
    return skips ? { status: 'denied', attempts: 0 } : { status: 'failed', attempts: 0, error };
  }
  const allowed = policy.policy === 'retry' ? policy.attempts : 1;
  for (let attempt = 1; ; attempt++) {
    const failure = fate.failures[attempt - 1];
    if (failure === undefined)
      return { status: 'ok', attempts: attempt, output: answerOf(fill(node.arguments, nodes)) };
    if (attempt < allowed && !PERMANENT.has(failure)) continue;
    const error = failure === 'hang' ? 'States.Timeout' : failure;
    return skips ? { status: 'skipped', attempts: attempt } : { status: 'failed', attempts: attempt, error };
  }
}

/** Arguments of the random plans: references are `id` or `id.value`. */
function fill(value: unknown, nodes: ReadonlyMap<string, ExpectedNode>): unknown {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) => {
    if (typeof item !== 'object' || item === null || !('$from' in item)) return item;
    const [id = '', field] = String(item.$from).split('.');
    const output = nodes.get(id)?.output as { value: string } | undefined;
    if (output === undefined) return null;
    return field === undefined ? output : output.value;
  });
}
