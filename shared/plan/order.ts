import { Fault } from '../kernel/errors.ts';
import { MAX_NODES } from '../kernel/limits.ts';

/** What ordering needs to know of a node. */
export interface OrderedNode {
  readonly id: string;
  readonly after?: readonly string[];
}

/** Nodes by index, each listed after everything it depends on. */
export interface DependencyGraph {
  readonly ids: readonly string[];
  /** Direct dependencies of each node, in ascending order. */
  readonly before: readonly (readonly number[])[];
  readonly after: readonly (readonly number[])[];
}

/** Orders the nodes topologically, keeping the given order where possible; refuses a graph with cycles. */
export function orderNodes(nodes: readonly OrderedNode[]): DependencyGraph {
  const indexOf = indexById(nodes);
  const before = nodes.map((node) => dependenciesOf(node, indexOf));
  const order = topological(before);
  if (order.length < nodes.length) refuseCycle(nodes, before);

  const place = new Map(order.map((old, position) => [old, position]));
  return buildGraph(
    order.map((old) => at(nodes, old).id),
    order.map((old) => at(before, old).map((one) => place.get(one) ?? 0)),
  );
}

/** Builds the graph of nodes that are already in topological order. */
export function buildGraph(ids: readonly string[], dependencies: readonly (readonly number[])[]): DependencyGraph {
  const before = dependencies.map((list) => [...new Set(list)].sort((a, b) => a - b));
  const after: number[][] = ids.map(() => []);
  before.forEach((list, node) => {
    for (const one of list) after[one]?.push(node);
  });
  return { ids, before, after };
}

/** The element at an index known to be in range. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const value = list[index];
  if (value === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return value;
}

function indexById(nodes: readonly OrderedNode[]): ReadonlyMap<string, number> {
  if (nodes.length === 0) throw new Fault('InvalidInput', 'a plan needs at least one node');
  if (nodes.length > MAX_NODES) {
    throw new Fault('InvalidInput', `the plan has ${nodes.length} nodes, at most ${MAX_NODES} are allowed; split it`, {
      nodes: nodes.length,
      limit: MAX_NODES,
    });
  }
  const indexOf = new Map<string, number>();
  nodes.forEach((node, index) => {
    if (indexOf.has(node.id)) {
      throw new Fault('InvalidInput', `two nodes are called ${node.id}; rename one`, { node: node.id });
    }
    indexOf.set(node.id, index);
  });
  return indexOf;
}

function dependenciesOf(node: OrderedNode, indexOf: ReadonlyMap<string, number>): number[] {
  return (node.after ?? []).map((id) => {
    const index = indexOf.get(id);
    if (index === undefined) {
      throw new Fault('InvalidInput', `node ${node.id} comes after ${id}, which is not in the plan`, {
        node: node.id,
        missing: id,
      });
    }
    return index;
  });
}

/** Kahn's algorithm, taking the earliest listed node that is ready; shorter than the input when there is a cycle. */
function topological(before: readonly (readonly number[])[]): number[] {
  const waiting = before.map((list) => new Set(list).size);
  const dependants: number[][] = before.map(() => []);
  before.forEach((list, node) => {
    for (const one of new Set(list)) dependants[one]?.push(node);
  });
  const order: number[] = [];
  const ready = waiting.flatMap((count, node) => (count === 0 ? [node] : []));
  for (let node = ready.shift(); node !== undefined; node = ready.shift()) {
    order.push(node);
    for (const dependant of at(dependants, node)) {
      const left = at(waiting, dependant) - 1;
      waiting[dependant] = left;
      if (left === 0) insertSorted(ready, dependant);
    }
  }
  return order;
}

function insertSorted(list: number[], value: number): void {
  const place = list.findIndex((other) => other > value);
  list.splice(place < 0 ? list.length : place, 0, value);
}

/** Follows dependencies backwards among the nodes of cycles until one repeats, and names that cycle. */
function refuseCycle(nodes: readonly OrderedNode[], before: readonly (readonly number[])[]): never {
  const done = new Set<number>(topological(before));
  const path: number[] = [];
  let node = before.findIndex((_, index) => !done.has(index));
  while (!path.includes(node)) {
    path.push(node);
    node = at(
      at(before, node).filter((one) => !done.has(one)),
      0,
    );
  }
  const loop = path.slice(path.indexOf(node)).reverse();
  const first = loop.indexOf(Math.min(...loop));
  const cycle = [...loop.slice(first), ...loop.slice(0, first + 1)].map((index) => at(nodes, index).id);
  throw new Fault('InvalidInput', `the plan has a cycle: ${cycle.join(' -> ')}; remove one of these dependencies`, {
    cycle,
  });
}
