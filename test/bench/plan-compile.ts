import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import type { PlanTree } from '../../shared/model/plan.ts';
import { compilePlan } from '../../shared/plan/compile.ts';
import { levels } from '../../shared/plan/levels.ts';
import { orderNodes } from '../../shared/plan/order.ts';
import { buildPoset } from '../../shared/plan/poset.ts';
import { computeMakespan, toPlanTree } from '../../shared/plan/tree.ts';
import { normal, type RandomDag, randomDag } from './random-plans.ts';
import { judge, printTable, summary } from './report.ts';

/** The ratio of makespan to critical path for random DAGs of 5 to 60 nodes, with known, wrong and unknown durations. */
export function benchCompile(count = 1000): void {
  const ratios: Record<'levels' | 'known' | 'wrong' | 'unknown', number[]> = {
    levels: [],
    known: [],
    wrong: [],
    unknown: [],
  };
  const times: number[] = [];
  for (let seed = 1; seed <= count; seed++) {
    const dag = randomDag(seed);
    const began = performance.now();
    const known = compilePlan(dag, { durations: dag.durations });
    times.push(performance.now() - began);
    const real = (tree: PlanTree): number =>
      computeMakespan(tree, (id) => dag.durations[id] ?? 0) / known.critical_path_ms;
    ratios.levels.push(real(levelTree(dag)));
    ratios.known.push(known.ratio);
    ratios.wrong.push(real(compilePlan(dag, { durations: misjudged(dag, seed) }).tree));
    ratios.unknown.push(real(compilePlan(dag).tree));
  }

  const rows = Object.entries(ratios).map(([name, values]) => ({
    'makespan / critical path': name,
    ...summary(values),
  }));
  printTable(rows);
  printTable([{ 'compile, ms': `${count} DAGs`, ...summary(times) }]);
  judge('mean with known durations <= 1.03', summary(ratios.known).mean <= 1.03);
  judge('p95 with known durations <= 1.13', summary(ratios.known).p95 <= 1.13);
  judge('mean with durations wrong by sigma 0.5 <= 1.12', summary(ratios.wrong).mean <= 1.12);
  judge('compile mean <= 40 ms', summary(times).mean <= 40);
  judge('compile worst <= 500 ms', summary(times).max <= 500);
}

function levelTree(dag: RandomDag): PlanTree {
  const graph = orderNodes(dag.nodes);
  const all = graph.ids.map((_, node) => node);
  const durations = Float64Array.from(graph.ids, (id) => dag.durations[id] ?? 0);
  return toPlanTree(levels(buildPoset(graph), all, [durations]), graph.ids);
}

function misjudged(dag: RandomDag, seed: number): Readonly<Record<string, number>> {
  const random = seededRandom(seed + 1_000_000);
  return Object.fromEntries(
    Object.entries(dag.durations).map(([id, duration]) => [id, duration * Math.exp(0.5 * normal(random))]),
  );
}
