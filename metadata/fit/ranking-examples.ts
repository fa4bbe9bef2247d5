import { type Benchmark, goldOf, type Query } from '../../metadata/fit/selection-data.ts';
import { readForValues } from '../../shared/decide/arguments/reading.ts';
import { choiceOf, findPool } from '../../shared/decide/candidates.ts';
import { extractIntent } from '../../shared/decide/intent.ts';
import { matchCapabilities } from '../../shared/decide/match.ts';
import { needsOf } from '../../shared/decide/needs.ts';
import { classifyScenario } from '../../shared/decide/scenario.ts';
import type { Features } from '../../shared/search/features.ts';
import { readRequest } from '../../shared/search/request.ts';
import type { FeatureWeights } from '../../shared/search/weights.ts';

export interface Example {
  readonly id: string;
  readonly chinese: boolean;
  readonly benchmark: string;
  readonly subset: string;
  /** Examples of one group are held out together, so that no tool is both learnt from and tested on. */
  readonly group: string;
  readonly rows: readonly (readonly number[])[];
  readonly names: readonly string[];
  readonly gold: readonly boolean[];
  /** The number of right tools, whether or not they are among the candidates. */
  readonly wanted: number;
}

/** Fixed weights that select the candidates to learn from, so that a fit does not depend on an earlier one. */
const START: FeatureWeights = {
  text: 1,
  meaning: 2.75,
  subject: 1.5,
  distinct: 0.5,
  purpose: 2,
  telling: 1,
  phrases: 2.75,
  intent: 0.25,
  scenario: 1.5,
  name: 1.25,
  nearness: 2.5,
  reach: 2,
  missing: -1.5,
  sure: 2,
  undemanding: 1,
  explained: 2,
  typed: 2,
  called: 1.5,
  similarity: 0,
  sentence: 0,
  likest: 0,
  nearest: 0,
};
export const FEATURE_NAMES = Object.keys(START) as (keyof Features)[];
const ENCODED_START: FeatureWeights = {
  ...START,
  text: 0.5,
  meaning: 1,
  scenario: 0.75,
  name: 0.75,
  reach: 1.25,
  similarity: 2.5,
  sentence: 2.5,
  likest: 1.9,
  nearest: 1,
};

/** The features that a decision computes for each query's candidates, with the right ones marked. */
export const examplesOf = async (
  { name, queries, deps }: Benchmark,
  own: (query: Query) => boolean,
  now?: number,
): Promise<readonly Example[]> => {
  const examples: Example[] = [];
  for (const query of queries) {
    const input = { task: query.query, candidates: own(query) ? query.candidates : undefined };
    const request = readRequest(input.task, await deps.encode?.(input.task));
    const reading = readForValues(input.task, now);
    const pool = findPool(request, input, deps);
    const { scenarios } = classifyScenario(request, pool, deps.index.size);
    const { intent } = await extractIntent(request, pool, undefined);
    const { matched } = matchCapabilities(
      request,
      pool,
      { intent, scenarios, among: choiceOf(input, deps) },
      { ...deps, rankingWeights: request.vectors === undefined ? START : ENCODED_START },
    );
    const gold = goldOf(query);
    const full = matched.map(({ profile, features }) => {
      const { missing, sure, undemanding, explained, typed } = needsOf(profile, reading);
      return { name: profile.tool.name, features: { ...features, missing, sure, undemanding, explained, typed } };
    });
    examples.push({
      id: query.id,
      chinese: /\p{Script=Han}/u.test(query.query),
      benchmark: name,
      subset: query.subset,
      group: gold[0] ?? query.id,
      names: full.map((each) => each.name),
      rows: full.map(({ features }) => FEATURE_NAMES.map((feature) => features[feature])),
      gold: full.map((each) => gold.includes(each.name)),
      wanted: Math.max(1, gold.length),
    });
  }
  return examples;
};
