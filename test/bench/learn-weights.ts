import { readForValues } from '../../shared/decide/arguments/reading.ts';
import { findPool } from '../../shared/decide/candidates.ts';
import { extractIntent } from '../../shared/decide/intent.ts';
import { matchCapabilities } from '../../shared/decide/match.ts';
import { needsOf } from '../../shared/decide/needs.ts';
import { classifyScenario } from '../../shared/decide/scenario.ts';
import type { Features } from '../../shared/search/features.ts';
import { readRequest } from '../../shared/search/request.ts';
import { RANKING } from '../../shared/search/weights.ts';
import { type Benchmark, goldOf, type Query } from './selection-data.ts';

export interface Example {
  readonly id: string;
  readonly benchmark: string;
  readonly subset: string;
  /** Examples of one group are held out together, so that no tool is both learnt from and tested on. */
  readonly group: string;
  readonly rows: readonly (readonly number[])[];
  readonly names: readonly string[];
  readonly gold: readonly boolean[];
}

export const FEATURE_NAMES = Object.keys(RANKING) as (keyof Features)[];

/** What the decision sees of each query's candidates, with the right ones marked. */
export const examplesOf = async (
  { name, queries, deps }: Benchmark,
  own: (query: Query) => boolean,
): Promise<readonly Example[]> => {
  const examples: Example[] = [];
  for (const query of queries) {
    const input = { task: query.query, ...(own(query) ? { candidates: query.candidates } : {}) };
    const request = readRequest(input.task);
    const reading = readForValues(input.task, undefined);
    const pool = findPool(request, input, deps);
    const { scenarios } = classifyScenario(request, pool, deps.index.size);
    const { intent } = await extractIntent(request, pool, undefined);
    const { matched } = matchCapabilities(request, pool, { intent, scenarios }, deps);
    const gold = goldOf(query);
    const full = matched.map(({ profile, features }) => {
      const { missing, sure, undemanding } = needsOf(profile, reading);
      return { name: profile.tool.name, features: { ...features, missing, sure, undemanding } };
    });
    examples.push({
      id: query.id,
      benchmark: name,
      subset: query.subset,
      group: gold[0] ?? query.id,
      names: full.map((each) => each.name),
      rows: full.map(({ features }) => FEATURE_NAMES.map((feature) => features[feature])),
      gold: full.map((each) => gold.includes(each.name)),
    });
  }
  return examples;
};

/** Weights under which the right candidates come first (a softmax over each query's candidates), benchmarks alike. */
export const learnRanking = (groups: readonly (readonly Example[])[]): readonly number[] => {
  const usable = groups.map((group) => group.filter(({ gold }) => gold.includes(true) && gold.includes(false)));
  return descend(FEATURE_NAMES.length, (weights, gradient) => {
    for (const group of usable) for (const example of group) addListLoss(example, weights, gradient, 1 / group.length);
  });
};

const addListLoss = ({ rows, gold }: Example, weights: Float64Array, gradient: Float64Array, share: number): void => {
  const scores = rows.map((row) => dot(row, weights));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, 0);
  const right = powers.reduce((sum, power, at) => sum + (gold[at] ? power : 0), 0);
  for (const [at, row] of rows.entries()) {
    const error = (powers[at] ?? 0) / all - (gold[at] ? (powers[at] ?? 0) / right : 0);
    for (const [column, value] of row.entries()) gradient[column] = (gradient[column] ?? 0) + share * error * value;
  }
};

export interface Judged {
  readonly row: readonly number[];
  readonly fits: boolean;
  readonly kind: string;
  /** What a whole kind counts, however many examples it has. */
  readonly weight: number;
}

/** Weights, the bias last, under which the sum is the log odds that the best candidate fits. */
export const learnFitting = (judged: readonly Judged[]): readonly number[] => {
  const sizes = Map.groupBy(judged, ({ kind }) => kind);
  return descend(FEATURE_NAMES.length + 1, (weights, gradient) => {
    for (const { row, fits, kind, weight } of judged) {
      const full = [...row, 1];
      const error = 1 / (1 + Math.exp(-dot(full, weights))) - (fits ? 1 : 0);
      const share = weight / (sizes.get(kind)?.length ?? 1);
      for (const [at, value] of full.entries()) gradient[at] = (gradient[at] ?? 0) + share * error * value;
    }
  });
};

const ROUNDS = 600;
const RATE = 0.05;
const DECAY = 2e-3;

/** Adam on the whole data, with the weights drawn to zero a little. */
const descend = (
  size: number,
  addGradient: (weights: Float64Array, gradient: Float64Array) => void,
): readonly number[] => {
  const weights = new Float64Array(size);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = weights.map((weight) => DECAY * weight);
    addGradient(weights, gradient);
    for (let at = 0; at < size; at++) {
      const slope = gradient[at] ?? 0;
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const step = (mean[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - RATE * step;
    }
  }
  return [...weights];
};

const dot = (row: readonly number[], weights: Float64Array): number =>
  row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
