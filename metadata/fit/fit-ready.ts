import { writeFileSync } from 'node:fs';
import type { Weights } from '../../shared/decide/arguments/proposal-features.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { DecideDeps, DecideInput } from '../../shared/decide/decision.ts';
import { type CallEvidence, isAssumed, readinessFeatures } from '../../shared/decide/readiness.ts';
import { wrongArguments } from './acceptable.ts';
import { encodeBenchmark, openEncoder } from './encode-benchmark.ts';
import { type Everyday, loadEveryday, NOW } from './everyday-data.ts';
import { familyOf, foldOf } from './folds.ts';
import { calibration } from './logistic.ts';
import { fitOdds, type Odds, oddsBy, scaled } from './ready-odds.ts';
import { FOLDS, isStraySet, type Judgement, report, reportNested, thresholdFor } from './ready-report.ts';
import { type Benchmark, loadBenchmark } from './selection-data.ts';

/** How much a request counts that no tool fits: there are few, and a tool that was not asked for is worse than a question. */
const STRAY_WEIGHT = 4;
/** How much a request counts whose own tool was taken from its candidates: what is left may serve it after all. */
const ORPHAN_WEIGHT = 0.7;

/** Makes `ready.json`: the weights of the probability of a call, and the threshold from which it is ready. */
export const fitReady = async (
  directory: string,
  weightsWithout: (tool: string) => Weights,
  vectors?: string,
): Promise<void> => {
  const encoder = await openEncoder();
  // One table serves both: the encoder is there or not.
  const plain = await judgements(directory, weightsWithout, '', async ({ deps }) => deps);
  const encoded = await judgements(directory, weightsWithout, ' encoded', (benchmark) =>
    encodeBenchmark(benchmark, encoder, vectors),
  );
  const judged = [...plain.judged, ...encoded.judged];
  const strays = plain.strays + encoded.strays;
  const asked = plain.asked + encoded.asked;
  await encoder.close();
  const left = judged.map(() => 0);
  for (let fold = 0; fold < FOLDS; fold++) {
    const odds = fitOdds(judged.filter(({ group }) => foldOf(group, FOLDS) !== fold));
    for (const [at, { group, features }] of judged.entries())
      if (foldOf(group, FOLDS) === fold) left[at] = oddsBy(odds, features);
  }
  // What is said of a call is how often such calls are right, whatever they counted in the fit.
  const met = judged.flatMap((each, at) => (each.set.startsWith(ORPHANS) ? [] : [{ ...each, odds: left[at] ?? 0 }]));
  const [slope, shift] = calibration(
    met.map((each) => (isStraySet(each.set) ? { ...each, weight: 1 } : each)),
    met.map(({ odds }) => odds),
  );
  const predicted = met.map(({ odds }) => 1 / (1 + Math.exp(-(slope * odds + shift))));
  const threshold = thresholdFor(met, predicted, strays);
  report(met, predicted, threshold);
  reportNested(met, predicted, { strays, asked });
  writeTable(scaled(fitOdds(judged), slope, shift), threshold);
};

const writeTable = ({ weights, features, trees }: Odds, threshold: number): void => {
  const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
  const used = features.filter((_, at) => trees.some(([root, , low, , high]) => [root, low, high].includes(at)));
  const table = {
    source: 'made by npm run fit: how likely a drafted call is right',
    threshold: thousandths(threshold),
    weights: Object.fromEntries(Array.from(weights, ([name, weight]) => [name, thousandths(weight)])),
    features: used,
    trees: trees.map((tree) =>
      tree.map((value, at) =>
        at < 6 ? (at % 2 === 0 ? used.indexOf(features[value] ?? '') : value) : Math.round(value * 1e4) / 1e4,
      ),
    ),
  };
  const lines = JSON.stringify({ ...table, trees: [] }, null, 2).replace(
    '"trees": []',
    `"trees": [\n${table.trees.map((tree) => `    ${JSON.stringify(tree).replaceAll(',', ', ')}`).join(',\n')}\n  ]`,
  );
  writeFileSync(new URL('../ready.json', import.meta.url), `${lines}\n`);
};

const judgements = async (
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
      complete: evidence.missing === 0 && ![...evidence.found.values()].some(isAssumed),
      weight,
    });
  };
  const bfcl = loadBenchmark(directory, 'bfcl');
  const bfclDeps = await depsOf(bfcl);
  for (const { subset, query, candidates, expected } of bfcl.queries) {
    if (subset.startsWith('parallel')) continue;
    const group = expected.tool ?? candidates?.[0] ?? '';
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

/** Requests that were asked again without their tool: they teach when nothing fits, and are not counted. */
const ORPHANS = 'without its tool';

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
