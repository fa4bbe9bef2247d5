import { Fault } from '../kernel/errors.ts';
import type { PlanTree } from '../model/plan.ts';
import { canonicalGraph } from './canonical.ts';
import { levels } from './levels.ts';
import { type OrderedNode, orderNodes } from './order.ts';
import { buildPoset, chains, toBitSet } from './poset.ts';
import { search } from './search.ts';
import { computeMakespan, type Scenarios, toPlanTree } from './tree.ts';

export interface CompileOptions {
  /** Expected milliseconds by node id, such as the measured median of its tool; 1 where absent. */
  readonly durations?: Readonly<Record<string, number>>;
}

export interface Compiled {
  readonly tree: PlanTree;
  readonly critical_path_ms: number;
  readonly makespan_ms: number;
  /** How much longer than the critical path the tree takes, with these durations and no other cost. */
  readonly ratio: number;
}

const SCENARIOS = 16;
const SPREAD = 0.5;

/**
 * Compiles a DAG to a series-parallel tree that keeps every dependency. The tree is chosen by the expected durations
 * and by samples around them, because real durations differ; if stages by depth do better, they are used instead. Plans
 * of equal shape give equal trees.
 */
export function compilePlan(plan: { readonly nodes: readonly OrderedNode[] }, options: CompileOptions = {}): Compiled {
  const ordered = orderNodes(plan.nodes);
  const labels = ordered.ids.map((id) => String(durationOf(id, options.durations)));
  const { graph } = canonicalGraph(ordered, labels);
  const durations = Float64Array.from(graph.ids, (id) => durationOf(id, options.durations));
  const poset = buildPoset(graph);
  const all = graph.ids.map((_, node) => node);

  const scenarios = scenariosAround(durations);
  const found = search(poset, all, scenarios);
  const plain = levels(poset, all, scenarios);
  const tree = toPlanTree(plain.score < found.score ? plain : found, graph.ids);

  const criticalPath = Math.max(...chains(poset, all, toBitSet(all, poset.size), durations).tail);
  const makespan = computeMakespan(tree, (id) => durationOf(id, options.durations));
  return {
    tree,
    critical_path_ms: criticalPath,
    makespan_ms: makespan,
    ratio: criticalPath === 0 ? 1 : makespan / criticalPath,
  };
}

function durationOf(id: string, durations: CompileOptions['durations']): number {
  const duration = durations !== undefined && Object.hasOwn(durations, id) ? durations[id] : 1;
  if (duration === undefined || !Number.isFinite(duration) || duration < 0) {
    throw new Fault('InvalidInput', `the duration of node ${id} is ${duration}; give milliseconds of 0 or more`, {
      node: id,
    });
  }
  return duration;
}

/** The expected durations, and samples of them with lognormal factors; the factors are always the same. */
function scenariosAround(durations: Float64Array): Scenarios {
  const sampled = Array.from({ length: SCENARIOS }, (_, scenario) =>
    durations.map((duration, node) => duration * Math.exp(SPREAD * deviate(scenario * durations.length + node))),
  );
  return [durations, ...sampled];
}

/** A fixed sequence of standard normal deviates: hashed counters and the Box-Muller transform. */
function deviate(counter: number): number {
  const radius = Math.sqrt(-2 * Math.log(hashed(2 * counter)));
  return radius * Math.cos(2 * Math.PI * hashed(2 * counter + 1));
}

/** A pseudo-random number in (0, 1), by the finaliser of MurmurHash3. */
function hashed(counter: number): number {
  let value = Math.imul(counter + 1, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0) / 4294967296 + 2 ** -33;
}
