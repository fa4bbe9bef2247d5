import { at, type DependencyGraph } from './order.ts';

/** The partial order of a DAG's nodes as bit sets, for fast questions about subsets. */
export interface Poset {
  readonly size: number;
  /** Direct dependencies, without those that others imply. */
  readonly covers: readonly Int32Array[];
  readonly ancestors: readonly Uint32Array[];
  readonly descendants: readonly Uint32Array[];
}

/** A subset of the plan: node indexes in ascending order, which is topological. */
export type NodeSet = readonly number[];

export function buildPoset(graph: DependencyGraph): Poset {
  const size = graph.ids.length;
  const words = (size + 31) >>> 5;
  const ancestors = closure(graph.before, words, false);
  return {
    size,
    covers: graph.before.map((list) => Int32Array.from(withoutImplied(list, ancestors))),
    ancestors,
    descendants: closure(graph.after, words, true),
  };
}

export const has = (set: Uint32Array, node: number): boolean => (((set[node >>> 5] ?? 0) >>> (node & 31)) & 1) === 1;

const add = (set: Uint32Array, node: number): void => {
  set[node >>> 5] = (set[node >>> 5] ?? 0) | (1 << (node & 31));
};

export function toBitSet(part: NodeSet, size: number): Uint32Array {
  const set = new Uint32Array((size + 31) >>> 5);
  for (const node of part) add(set, node);
  return set;
}

/** The lengths of the chains around each node of a part. */
export interface Chains {
  /** The longest chain before the node, without it and with it. */
  readonly start: Float64Array;
  readonly head: Float64Array;
  /** The longest chain after the node, without it and with it. */
  readonly rest: Float64Array;
  readonly tail: Float64Array;
}

export function chains(poset: Poset, part: NodeSet, inside: Uint32Array, durations: Float64Array): Chains {
  const [start, head] = [new Float64Array(poset.size), new Float64Array(poset.size)];
  const [rest, tail] = [new Float64Array(poset.size), new Float64Array(poset.size)];
  for (const node of part) {
    let begin = 0;
    for (const one of at(poset.covers, node)) if (has(inside, one)) begin = Math.max(begin, head[one] ?? 0);
    start[node] = begin;
    head[node] = begin + (durations[node] ?? 0);
  }
  for (let index = part.length - 1; index >= 0; index--) {
    const node = part[index] ?? 0;
    const own = (rest[node] ?? 0) + (durations[node] ?? 0);
    tail[node] = own;
    for (const one of at(poset.covers, node)) if (has(inside, one)) rest[one] = Math.max(rest[one] ?? 0, own);
  }
  return { start, head, rest, tail };
}

/** The connected components of a part. */
export function components(poset: Poset, part: NodeSet): readonly NodeSet[] {
  const inside = toBitSet(part, poset.size);
  const root = new Int32Array(poset.size).map((_, node) => node);
  const find = (node: number): number => {
    let top = node;
    while (at(root, top) !== top) top = at(root, top);
    root[node] = top;
    return top;
  };
  for (const node of part) {
    for (const one of at(poset.covers, node)) if (has(inside, one)) root[find(node)] = find(one);
  }
  return Map.groupBy(part, find).values().toArray();
}

/**
 * Stages of the part, each of which wholly precedes the next. A stage's nodes come first in every topological order, so
 * testing prefixes finds them all.
 */
export function stages(poset: Poset, part: NodeSet): readonly NodeSet[] {
  const inside = toBitSet(part, poset.size);
  const found: NodeSet[] = [];
  let comparable = 0;
  let begin = 0;
  part.forEach((node, index) => {
    comparable += common(at(poset.descendants, node), inside) - common(at(poset.ancestors, node), inside);
    const taken = index + 1;
    if (comparable === taken * (part.length - taken)) {
      found.push(part.slice(begin, taken));
      begin = taken;
    }
  });
  return found;
}

function closure(direct: readonly (readonly number[])[], words: number, backwards: boolean): readonly Uint32Array[] {
  const sets = direct.map(() => new Uint32Array(words));
  const nodes = direct.map((_, node) => node);
  for (const node of backwards ? nodes.reverse() : nodes) {
    const set = at(sets, node);
    for (const one of at(direct, node)) {
      add(set, one);
      at(sets, one).forEach((word, index) => {
        set[index] = (set[index] ?? 0) | word;
      });
    }
  }
  return sets;
}

function withoutImplied(list: readonly number[], ancestors: readonly Uint32Array[]): readonly number[] {
  return list.filter((one) => !list.some((other) => has(at(ancestors, other), one)));
}

function common(a: Uint32Array, b: Uint32Array): number {
  let count = 0;
  for (let index = 0; index < a.length; index++) count += bits((a[index] ?? 0) & (b[index] ?? 0));
  return count;
}

function bits(word: number): number {
  let value = word - ((word >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
