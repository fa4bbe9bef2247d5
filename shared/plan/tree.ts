import type { PlanTree } from '../model/plan.ts';

/**
 * A series-parallel tree over node indexes. `times` is its duration in each scenario, the expected one first; `score`
 * is their weighted sum.
 */
export type Tree = { readonly times: Float64Array; readonly score: number } & (
  | { readonly kind: 'node'; readonly node: number }
  | { readonly kind: 'series' | 'parallel'; readonly children: readonly Tree[] }
);

/** Durations of every node by scenario, the expected one first. */
export type Scenarios = readonly Float64Array[];

/** The weight of the sampled scenarios against the expected one. */
const SAMPLED_WEIGHT = 0.25;

export function leaf(node: number, scenarios: Scenarios): Tree {
  const times = Float64Array.from(scenarios, (durations) => durations[node] ?? 0);
  return { kind: 'node', node, times, score: computeScore(times) };
}

/** Parts in series; nested series are flattened. */
export const series = (parts: readonly Tree[]): Tree => join('series', parts);

/** Parts in parallel; nested parallels are flattened. */
export const parallel = (parts: readonly Tree[]): Tree => join('parallel', parts);

/** The weight of one of `count` scenarios; all weights add up to 1. */
export function weightOf(scenario: number, count: number): number {
  if (count === 1) return 1;
  return scenario === 0 ? 1 - SAMPLED_WEIGHT : SAMPLED_WEIGHT / (count - 1);
}

/** The makespan of a tree whose nodes take these durations. */
export function computeMakespan(tree: PlanTree, durationOf: (id: string) => number): number {
  if (tree.kind === 'node') return durationOf(tree.id);
  const times = tree.children.map((child) => computeMakespan(child, durationOf));
  return tree.kind === 'series' ? times.reduce((sum, time) => sum + time, 0) : Math.max(...times);
}

export function toPlanTree(tree: Tree, ids: readonly string[]): PlanTree {
  if (tree.kind === 'node') return { kind: 'node', id: ids[tree.node] ?? '' };
  return { kind: tree.kind, children: tree.children.map((child) => toPlanTree(child, ids)) };
}

/** The ids of a tree's nodes, left to right. */
export const nodesOf = (tree: PlanTree): readonly string[] =>
  tree.kind === 'node' ? [tree.id] : tree.children.flatMap(nodesOf);

function join(kind: 'series' | 'parallel', parts: readonly Tree[]): Tree {
  const children = parts.flatMap((part) => (part.kind === kind ? part.children : [part]));
  const [only] = children;
  if (only !== undefined && children.length === 1) return only;
  const times = new Float64Array(only?.times.length ?? 1);
  for (const child of children) {
    child.times.forEach((time, index) => {
      const so = times[index] ?? 0;
      times[index] = kind === 'series' ? so + time : Math.max(so, time);
    });
  }
  return { kind, children, times, score: computeScore(times) };
}

function computeScore(times: Float64Array): number {
  let score = 0;
  for (let scenario = 0; scenario < times.length; scenario++) {
    score += weightOf(scenario, times.length) * (times[scenario] ?? 0);
  }
  return score;
}
