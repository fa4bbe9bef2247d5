import { Fault } from '../kernel/errors.ts';
import type { Plan, PlanNode, PlanTree } from '../model/plan.ts';
import { rankVertices } from './canonical.ts';
import { at } from './order.ts';
import { nodesOf } from './tree.ts';

/** A node with the number of its state. */
export interface NumberedNode {
  readonly number: number;
  readonly node: PlanNode;
  /** The numbers of the nodes whose output it takes, and of those it only runs after. */
  readonly takes: readonly number[];
  readonly follows: readonly number[];
}

export interface Arranged {
  readonly tree: PlanTree;
  /** The nodes in the order of their states: number 1 first. */
  readonly nodes: readonly NumberedNode[];
}

interface Vertex {
  readonly tree: PlanTree;
  readonly label: string;
  readonly parent: number | undefined;
  readonly children: number[];
}

/**
 * Orders branches by shape and policies alone and numbers the nodes, so that plans of equal shape get equal machines.
 */
export function arrange(plan: Plan, tree: PlanTree): Arranged {
  checkSameNodes(plan, tree);
  const byId = new Map(plan.nodes.map((node) => [node.id, node]));
  const vertices = verticesOf(tree, byId);
  const ranks = rankVertices(
    vertices.map(({ label }) => label),
    relateVertices(plan, vertices),
  );
  const ordered = order(0, vertices, ranks);
  const ids = nodesOf(ordered);
  const numbers = new Map(ids.map((id, index) => [id, index + 1]));
  const nodes = ids.map((id) => number(id, plan, byId, numbers));
  for (const { number, takes, follows } of nodes) {
    if ([...takes, ...follows].some((other) => other >= number)) throw brokenTree();
  }
  return { tree: ordered, nodes };
}

export const brokenTree = (): Fault =>
  new Fault('InvalidInput', 'the tree runs a node before its dependency; compile the plan again');

function checkSameNodes(plan: Plan, tree: PlanTree): void {
  const [inTree, inPlan] = [[...nodesOf(tree)].sort(), plan.nodes.map((node) => node.id).sort()];
  if (inTree.length === inPlan.length && inTree.every((id, index) => id === inPlan[index])) return;
  throw new Fault('InvalidInput', 'the tree does not hold each node of the plan once; compile the plan again');
}

function verticesOf(tree: PlanTree, byId: ReadonlyMap<string, PlanNode>): readonly Vertex[] {
  const vertices: Vertex[] = [];
  const add = (one: PlanTree, parent: number | undefined): number => {
    const index = vertices.length;
    const children: number[] = [];
    vertices.push({ tree: one, label: labelOf(one, byId), parent, children });
    if (one.kind !== 'node') for (const child of one.children) children.push(add(child, index));
    return index;
  };
  add(tree, undefined);
  return vertices;
}

/** What a node's state depends on; the step function looks up the rest, such as tool and arguments. */
function labelOf(tree: PlanTree, byId: ReadonlyMap<string, PlanNode>): string {
  if (tree.kind !== 'node') return tree.kind;
  const node = byId.get(tree.id);
  return JSON.stringify([node?.on_failure, node?.confirm]);
}

function relateVertices(plan: Plan, vertices: readonly Vertex[]): readonly (readonly (readonly number[])[])[] {
  const place = new Map(vertices.flatMap(({ tree }, index) => (tree.kind === 'node' ? [[tree.id, index]] : [])));
  const empty = (): number[][] => vertices.map(() => []);
  const edges = { data: empty(), order: empty() };
  const reverse = { data: empty(), order: empty() };
  for (const { from, to, kind } of plan.edges) {
    const [one, other] = [place.get(from) ?? 0, place.get(to) ?? 0];
    edges[kind][one]?.push(other);
    reverse[kind][other]?.push(one);
  }
  const next = vertices.map(({ parent }, index) => {
    const above = parent === undefined ? undefined : at(vertices, parent);
    if (above?.tree.kind !== 'series') return [];
    return above.children.slice(above.children.indexOf(index) + 1).slice(0, 1);
  });
  const previous = vertices.map((_, index) => next.flatMap((list, one) => (list.includes(index) ? [one] : [])));
  const parents = vertices.map(({ parent }) => (parent === undefined ? [] : [parent]));
  const children = vertices.map((vertex) => vertex.children);
  return [edges.data, reverse.data, edges.order, reverse.order, next, previous, parents, children];
}

function order(index: number, vertices: readonly Vertex[], ranks: readonly number[]): PlanTree {
  const { tree, children } = at(vertices, index);
  if (tree.kind === 'node') return tree;
  const sorted = tree.kind === 'series' ? children : children.toSorted((a, b) => at(ranks, a) - at(ranks, b));
  return { kind: tree.kind, children: sorted.map((child) => order(child, vertices, ranks)) };
}

function number(
  id: string,
  plan: Plan,
  byId: ReadonlyMap<string, PlanNode>,
  numbers: ReadonlyMap<string, number>,
): NumberedNode {
  const node = byId.get(id);
  if (node === undefined) throw new RangeError(`no node ${id}`);
  const from = (kind: 'data' | 'order'): readonly number[] =>
    plan.edges
      .filter((edge) => edge.to === id && edge.kind === kind)
      .map((edge) => numbers.get(edge.from) ?? 0)
      .sort((a, b) => a - b);
  return { number: numbers.get(id) ?? 0, node, takes: from('data'), follows: from('order') };
}
