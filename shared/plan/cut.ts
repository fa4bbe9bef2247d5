import { at } from './order.ts';
import { type Chains, chains, type NodeSet, type Poset, toBitSet } from './poset.ts';
import { type Scenarios, weightOf } from './tree.ts';

/** A part split in two: `first` holds every dependency of its own nodes, so `rest` may run after it. */
export interface Cut {
  readonly first: NodeSet;
  readonly rest: NodeSet;
  /**
   * The longest chain of `first` plus the longest of `rest`, weighted over the scenarios: a lower bound for any tree of
   * this cut.
   */
  readonly bound: number;
}

interface Prefix {
  readonly order: NodeSet;
  readonly length: number;
  readonly bound: number;
  /** A hash of the set: equal sets have equal marks, and different sets almost never do. */
  readonly mark: number;
}

/**
 * Promising cuts of a part, best bound first: the prefixes of several topological orders. A prefix is closed under
 * dependencies, so its longest chain ends at one of its nodes, and the longest chain of the rest starts at one of the
 * others: both bounds are running maxima.
 */
export function findCuts(poset: Poset, part: NodeSet, scenarios: Scenarios, width: number): readonly Cut[] {
  const inside = toBitSet(part, poset.size);
  const measured = scenarios.map((durations) => chains(poset, part, inside, durations));
  const prefixes = topologicalOrders(part, at(scenarios, 0), at(measured, 0)).flatMap((order) =>
    listPrefixes(order, measured),
  );
  prefixes.sort((a, b) => a.bound - b.bound || a.length - b.length);
  const seen = new Set<number>();
  const cuts: Cut[] = [];
  for (const prefix of prefixes) {
    if (cuts.length === width) break;
    if (seen.has(prefix.mark)) continue;
    seen.add(prefix.mark);
    cuts.push(cutAfter(prefix));
  }
  return cuts;
}

/**
 * Orders by earliest end, latest start, the middle between earliest and latest, earliest start, and middle. None of
 * these keys is smaller for a node than for its dependency, not even after rounding, so all orders are topological.
 */
function topologicalOrders(
  part: NodeSet,
  durations: Float64Array,
  { start, head, rest, tail }: Chains,
): readonly NodeSet[] {
  const keys: readonly ((node: number) => number)[] = [
    (node) => head[node] ?? 0,
    (node) => -(tail[node] ?? 0),
    (node) => (head[node] ?? 0) - (rest[node] ?? 0),
    (node) => start[node] ?? 0,
    (node) => (start[node] ?? 0) + (durations[node] ?? 0) / 2,
  ];
  return keys.map((key) => {
    const values = new Float64Array(durations.length);
    for (const node of part) values[node] = key(node);
    return [...part].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
  });
}

function listPrefixes(order: NodeSet, measured: readonly Chains[]): readonly Prefix[] {
  const bounds = new Float64Array(order.length);
  measured.forEach(({ head, tail }, scenario) => {
    const weight = weightOf(scenario, measured.length);
    let before = 0;
    for (let index = 1; index < order.length; index++) {
      before = Math.max(before, head[order[index - 1] ?? 0] ?? 0);
      bounds[index] = (bounds[index] ?? 0) + weight * before;
    }
    let after = 0;
    for (let index = order.length - 1; index > 0; index--) {
      after = Math.max(after, tail[order[index] ?? 0] ?? 0);
      bounds[index] = (bounds[index] ?? 0) + weight * after;
    }
  });
  let mark = 0;
  return Array.from({ length: order.length - 1 }, (_, index) => {
    mark += hashNode(order[index] ?? 0);
    return { order, length: index + 1, bound: bounds[index + 1] ?? 0, mark };
  });
}

function cutAfter({ order, length, bound }: Prefix): Cut {
  const ascending = (a: number, b: number): number => a - b;
  return { first: order.slice(0, length).sort(ascending), rest: order.slice(length).sort(ascending), bound };
}

/** 44 hashed bits, so that the sum over 200 nodes stays exact. */
function hashNode(node: number): number {
  const high = Math.imul(node + 1, 0x9e3779b1) >>> 0;
  return high * 4096 + (Math.imul(high ^ (high >>> 15), 0x85ebca6b) >>> 20);
}
