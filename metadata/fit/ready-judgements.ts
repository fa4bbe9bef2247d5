import type { Weights } from '../../shared/decide/arguments/proposal-features.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { DecideDeps, DecideInput } from '../../shared/decide/decision.ts';
import { type CallEvidence, isUnderstood, readinessFeatures } from '../../shared/decide/readiness.ts';
import { wrongArguments } from './acceptable.ts';
import { type Everyday, loadEveryday, NOW } from './everyday-data.ts';
import { familyOf } from './folds.ts';
import type { Judged } from './logistic.ts';
import { type Benchmark, loadBenchmark } from './selection-data.ts';

/** A decision on a labelled request: the features of the call, and whether it was right. */
export interface Judgement extends Judged {
  readonly set: string;
  readonly group: string;
  /** Whether the drafted call is complete; only a complete one can be ready. */
  readonly complete: boolean;
}

/** The weight of a request that no tool fits: such requests are few, and an unwanted call is worse than a question. */
const STRAY_WEIGHT = 4;
/** The weight of a request whose right tool was removed from the candidates: another one may fit it after all. */
const ORPHAN_WEIGHT = 0.7;
/** The weight of a request that needs several calls, of which a draft has one. */
const SEVERAL_WEIGHT = 0.3;

/** Drafts a call for every labelled request, with out-of-fold argument weights. */
export const judgements = async (
  directory: string,
  weightsWithout: (tool: string) => Weights,
  label: string,
  depsOf: (benchmark: Benchmark) => Promise<DecideDeps>,
): Promise<{ readonly judged: readonly Judgement[]; readonly strays: number; readonly asked: number }> => {
  const all: Judgement[] = [];
  let [strays, asked] = [0, 0];
  const add: Add = async (set, group, input, deps, weight, isRight) => {
    let evidence: CallEvidence | undefined;
    const decision = await decide(input, {
      ...deps,
      argumentWeights: weightsWithout(group),
      onEvidence: (seen) => {
        evidence = seen;
      },
    });
    if (evidence === undefined) return;
    all.push({
      set: `${set}${label}`,
      group,
      features: readinessFeatures(evidence),
      right: isRight(decision.tool, decision.arguments),
      complete: evidence.missing === 0 && isUnderstood(evidence),
      weight,
    });
  };
  const bfcl = loadBenchmark(directory, 'bfcl');
  const bfclDeps = await depsOf(bfcl);
  for (const { subset, query, candidates, expected } of bfcl.queries) {
    const group = expected.tool ?? candidates?.[0] ?? '';
    if (subset.startsWith('parallel')) {
      await add(SEVERAL, group, { task: query, candidates }, bfclDeps, SEVERAL_WEIGHT, () => false);
      continue;
    }
    const isStray = isStraySet(subset);
    if (isStray) strays++;
    else asked++;
    await add(
      `bfcl ${subset}`,
      group,
      { task: query, candidates },
      bfclDeps,
      isStray ? STRAY_WEIGHT : 1,
      (tool, given) =>
        tool !== null && tool === expected.tool && wrongArguments(given, expected.acceptable ?? {}).length === 0,
    );
    const others = candidates?.filter((name) => familyOf(name) !== familyOf(group)) ?? [];
    if (!isStray && others.length > 0)
      await add(ORPHANS, group, { task: query, candidates: others }, bfclDeps, ORPHAN_WEIGHT, () => false);
  }
  const { requests, catalogues } = await loadEveryday();
  const open = Map.groupBy(
    requests.filter(({ kept }) => !kept),
    ({ catalogue }) => catalogue,
  );
  for (const [catalogue, list] of open) {
    const deps = catalogues.get(catalogue);
    if (deps !== undefined) await addEveryday(list, await depsOf(everydayBenchmark(list, deps)), add);
  }
  return { judged: all, strays, asked };
};

/** Sets of wrong drafts to learn from: requests repeated without their right tool, and requests for several calls. */
const ORPHANS = 'without its tool';
const SEVERAL = 'several calls';

export const isCounted = (set: string): boolean => !set.startsWith(ORPHANS) && !set.startsWith(SEVERAL);

export const isStraySet = (set: string): boolean => set.includes('irrelevance');

type Add = (
  set: string,
  group: string,
  input: DecideInput,
  deps: DecideDeps,
  weight: number,
  isRight: (tool: string | null, given: Readonly<Record<string, unknown>>) => boolean,
) => Promise<void>;

const everydayBenchmark = (requests: readonly Everyday[], deps: DecideDeps): Benchmark => ({
  name: 'everyday',
  queries: requests.map(({ query }) => ({ id: query, subset: 'everyday', query, expected: {} })),
  deps,
});

const addEveryday = async (requests: readonly Everyday[], deps: DecideDeps, add: Add): Promise<void> => {
  for (const { query, tools, acceptable } of requests) {
    await add(
      'everyday',
      tools[0] ?? '',
      { task: query, now: NOW },
      deps,
      2,
      (tool, given) => tool !== null && tools.includes(tool) && wrongArguments(given, acceptable).length === 0,
    );
  }
};
