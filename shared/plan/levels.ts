import { at } from './order.ts';
import { components, has, type NodeSet, type Poset, toBitSet } from './poset.ts';
import { leaf, parallel, type Scenarios, series, type Tree } from './tree.ts';

/** The simple compilation: each connected component in stages by depth, with a barrier after each stage. */
export function levels(poset: Poset, part: NodeSet, scenarios: Scenarios): Tree {
  return parallel(components(poset, part).map((component) => stagesByDepth(poset, component, scenarios)));
}

function stagesByDepth(poset: Poset, part: NodeSet, scenarios: Scenarios): Tree {
  const inside = toBitSet(part, poset.size);
  const depth = new Int32Array(poset.size);
  for (const node of part) {
    for (const one of at(poset.covers, node)) {
      if (has(inside, one)) depth[node] = Math.max(at(depth, node), at(depth, one) + 1);
    }
  }
  const stages = Map.groupBy(part, (node) => at(depth, node));
  const order = [...stages.keys()].sort((a, b) => a - b);
  return series(order.map((key) => parallel((stages.get(key) ?? []).map((node) => leaf(node, scenarios)))));
}
