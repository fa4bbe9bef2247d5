import { seededRandom } from '../../shared/kernel/seeded-random.ts';
import { type Plan, PlanNodeInput } from '../../shared/model/plan.ts';
import { ToolSpec } from '../../shared/model/tool.ts';
import { buildPlan, type LookUpTool } from '../../shared/plan/build.ts';

/** A standard normal random number (Box-Muller). */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export interface RandomDag {
  readonly nodes: readonly { readonly id: string; readonly after: readonly string[] }[];
  readonly durations: Readonly<Record<string, number>>;
  readonly model: 'erdos-renyi' | 'layered' | 'recent';
}

/** A DAG of 5 to 60 nodes by one of three models, with uniform or lognormal durations. */
export function randomDag(seed: number, size?: number): RandomDag {
  const random = seededRandom(seed);
  const count = size ?? 5 + Math.floor(random() * 56);
  const model = (['erdos-renyi', 'layered', 'recent'] as const)[seed % 3] ?? 'recent';
  const parents = generators[model](count, random);
  const spread = random() < 0.5;
  const names = Array.from({ length: count }, (_, index) => `step${index}`);
  return {
    model,
    nodes: names.map((id, index) => ({ id, after: (parents[index] ?? []).map((one) => names[one] ?? '') })),
    durations: Object.fromEntries(names.map((id) => [id, spread ? Math.exp(normal(random)) : 1 + 9 * random()])),
  };
}

type Generator = (count: number, random: () => number) => readonly (readonly number[])[];

const generators: Readonly<Record<RandomDag['model'], Generator>> = {
  // Every earlier node is a dependency with the same probability, about 1.2 dependencies per node.
  'erdos-renyi': (count, random) =>
    Array.from({ length: count }, (_, node) => earlier(node).filter(() => random() < 2.4 / count)),
  layered: (count, random) => {
    const layers = 2 + Math.floor(random() * 6);
    const layer = Array.from({ length: count }, () => Math.floor(random() * layers)).sort((a, b) => a - b);
    return layer.map((own, node) => {
      const above = earlier(node).filter((one) => layer[one] === own - 1);
      return above.filter(() => random() < 1.4 / above.length);
    });
  },
  recent: (count, random) =>
    Array.from({ length: count }, (_, node) => {
      const wanted = Math.floor(random() * 4);
      const recent = earlier(node).slice(-8);
      return [...new Set(Array.from({ length: recent.length === 0 ? 0 : wanted }, () => pick(recent, random)))];
    }),
};

const earlier = (node: number): number[] => Array.from({ length: node }, (_, one) => one);
const pick = (list: readonly number[], random: () => number): number => list[Math.floor(random() * list.length)] ?? 0;

/** Resolves every name to a tool without type restrictions; `ask_` tools need confirmation. */
export const anyTool: LookUpTool = (name) => ({
  spec: ToolSpec.parse({ name, parameters: { type: 'object' } }),
  permission: name.startsWith('ask_') ? 'confirm' : 'safe',
});

/** The DAG as the input of a plan, with random policies, questions, and data and order edges. */
export function randomPlanInput(seed: number, size?: number): { readonly nodes: readonly PlanNodeInput[] } {
  const random = seededRandom(seed + 500_000);
  const nodes = randomDag(seed, size).nodes.map(({ id, after }) => {
    const data = after.filter(() => random() < 0.7);
    return PlanNodeInput.parse({
      id,
      tool: random() < 0.1 ? 'ask_tool' : 'tool',
      arguments: { id, from: data.map((one) => ({ $from: random() < 0.5 ? one : `${one}.value` })) },
      after: after.filter((one) => !data.includes(one) || random() < 0.3),
      on_failure: randomPolicy(random),
    });
  });
  return { nodes };
}

export const randomPlan = (seed: number, size?: number): Plan => buildPlan(randomPlanInput(seed, size), anyTool).plan;

function randomPolicy(random: () => number): Readonly<Record<string, unknown>> {
  const downstream = random() < 0.5 ? 'skip' : 'run';
  const kind = random();
  if (kind < 0.45) return { policy: 'stop', downstream };
  if (kind < 0.7) return { policy: 'skip', downstream };
  return {
    policy: 'retry',
    attempts: 2 + Math.floor(random() * 3),
    then: random() < 0.7 ? 'skip' : 'stop',
    downstream,
  };
}
