import type { PlanTree } from '../answers.ts';
import type { NodesById } from './plan-view.tsx';

interface Props {
  readonly tree: PlanTree;
  readonly nodes: NodesById;
}

/** The series-parallel form: series from left to right, branches below each other. */
export const TreeView = ({ tree, nodes }: Props) => {
  if (tree.kind === 'node') return <span class={`leaf ${nodes.get(tree.id)?.status ?? 'planned'}`}>{tree.id}</span>;
  return (
    <div class={tree.kind}>
      {tree.children.map((child, index) => (
        <TreeView key={index} tree={child} nodes={nodes} />
      ))}
    </div>
  );
};
