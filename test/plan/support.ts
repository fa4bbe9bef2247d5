import type { PlanTree } from '../../shared/model/plan.ts';

export interface Listed {
  readonly id: string;
  readonly after: readonly string[];
}

/** Every ordered pair of nodes of which the tree runs the first wholly before the second. */
export function precedences(tree: PlanTree): ReadonlySet<string> {
  const pairs = new Set<string>();
  const visit = (one: PlanTree): readonly string[] => {
    if (one.kind === 'node') return [one.id];
    const groups = one.children.map(visit);
    if (one.kind === 'series') {
      groups.forEach((group, index) => {
        for (const later of groups.slice(index + 1).flat()) for (const id of group) pairs.add(`${id} ${later}`);
      });
    }
    return groups.flat();
  };
  visit(tree);
  return pairs;
}

/** The DAG under new names and in another order. */
export function renamed(nodes: readonly Listed[], random: () => number): readonly Listed[] {
  const names = new Map(nodes.map((node, index) => [node.id, `x${(index * 7919 + 13) % 10007}`]));
  const other = nodes.map((node) => ({
    id: names.get(node.id) ?? '',
    after: node.after.map((id) => names.get(id) ?? '').toReversed(),
  }));
  return other
    .map((node) => ({ node, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ node }) => node);
}
