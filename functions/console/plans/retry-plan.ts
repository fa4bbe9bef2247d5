import { fillReferences, RUN_INPUT, valueAt } from '../../../shared/plan/reference.ts';
import type { Plan, PlanRequest, RunView } from '../answers.ts';

/**
 * The part of a plan to run again: a node, everything after it, and every node without a result. Inputs from finished
 * nodes are inserted as values; a result too large for the view is computed again.
 */
export const retryPlan = (plan: Plan, run: RunView, from: string): PlanRequest => {
  const done = new Map(run.nodes.map((node) => [node.id, node]));
  const again = new Set<string>();
  // Nodes are ordered after their dependencies, so one pass finds everything that follows.
  for (const node of inOrder(plan))
    if (node.id === from || !hasResult(done.get(node.id)) || node.after.some((before) => again.has(before)))
      again.add(node.id);
  const nodes = plan.nodes
    .filter(({ id }) => again.has(id))
    .map(({ drop_null: _, from_upstream: upstream, arguments: args, after, confirm, ...node }) => ({
      ...node,
      arguments: fillReferences(args, node.id, (reference) => {
        const { source, path, text } = reference;
        if (source === RUN_INPUT || again.has(source)) return { $from: text };
        return valueAt(done.get(source)?.result, path) ?? null;
      }) as typeof args,
      after: after.filter((before) => again.has(before)),
      // As a value it is no longer known to come from a source, so a person must approve it again.
      confirm: confirm || (upstream?.length ?? 0) > 0,
    }));
  const { name, input_schema } = plan;
  return { nodes, name: `${name ?? 'plan'} from ${from}`.slice(0, 128), input_schema } as PlanRequest;
};

const hasResult = (node: RunView['nodes'][number] | undefined): boolean =>
  node?.status === 'ok' && node.result_ref === undefined;

const inOrder = ({ nodes }: Plan): Plan['nodes'] => {
  const sorted: Plan['nodes'][number][] = [];
  const placed = new Set<string>();
  while (sorted.length < nodes.length) {
    const ready = nodes.filter(({ id, after }) => !placed.has(id) && after.every((before) => placed.has(before)));
    if (ready.length === 0) return nodes;
    for (const node of ready) placed.add(node.id);
    sorted.push(...ready);
  }
  return sorted;
};
