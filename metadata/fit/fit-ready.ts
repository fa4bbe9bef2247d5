import { writeFileSync } from 'node:fs';
import type { Weights } from '../../shared/decide/arguments/proposal-features.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { DecideDeps, DecideInput } from '../../shared/decide/decision.ts';
import { type CallEvidence, isAssumed, readinessFeatures } from '../../shared/decide/readiness.ts';
import { wrongArguments } from './acceptable.ts';
import { encodeBenchmark, openEncoder } from './encode-benchmark.ts';
import { type Everyday, loadEveryday, NOW } from './everyday-data.ts';
import { foldOf } from './folds.ts';
import { calibratedChances, fitLogistic, type Judged, probability, recalibrated } from './logistic.ts';
import { type Benchmark, loadBenchmark } from './selection-data.ts';

/** A decision on a request whose answer is known: what was known of the call, and whether it was right. */
interface Judgement extends Judged {
  readonly set: string;
  readonly group: string;
  /** Whether a call was drafted that lacks nothing, so that it may be ready at all. */
  readonly complete: boolean;
}

const FOLDS = 4;
/** Of the calls of the benchmarks that are called ready, this share is right at least. */
const PRECISION = 0.935;

/** Makes `ready.json`: the weights of the probability of a call, and the threshold from which it is ready. */
export const fitReady = async (
  directory: string,
  weightsWithout: (tool: string) => Weights,
  vectors?: string,
): Promise<void> => {
  const encoder = await openEncoder();
  // One table serves both: the encoder is there or not.
  const judged = [
    ...(await judgements(directory, weightsWithout, '', async ({ deps }) => deps)),
    ...(await judgements(directory, weightsWithout, ' encoded', (benchmark) =>
      encodeBenchmark(benchmark, encoder, vectors),
    )),
  ];
  await encoder.close();
  const left = judged.map(() => 0);
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = fitLogistic(judged.filter(({ group }) => foldOf(group, FOLDS) !== fold));
    for (const [at, { group, features }] of judged.entries())
      if (foldOf(group, FOLDS) === fold) left[at] = probability(features, weights);
  }
  const predicted = calibratedChances(judged, left);
  const threshold = thresholdFor(judged, predicted);
  report(judged, predicted, threshold);
  const weights = Object.fromEntries(
    Array.from(recalibrated(fitLogistic(judged), judged, left), ([name, weight]) => [
      name,
      Math.round(weight * 1000) / 1000,
    ]),
  );
  const table = {
    source: 'made by npm run fit: how likely a drafted call is right',
    threshold: Math.round(threshold * 1000) / 1000,
    weights,
  };
  writeFileSync(new URL('../ready.json', import.meta.url), `${JSON.stringify(table, null, 2)}\n`);
};

const judgements = async (
  directory: string,
  weightsWithout: (tool: string) => Weights,
  label: string,
  depsOf: (benchmark: Benchmark) => Promise<DecideDeps>,
): Promise<readonly Judgement[]> => {
  const all: Judgement[] = [];
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
    await add(
      `bfcl ${subset}`,
      group,
      { task: query, candidates },
      bfclDeps,
      1,
      (tool, given) =>
        tool !== null && tool === expected.tool && wrongArguments(given, expected.acceptable ?? {}).length === 0,
    );
  }
  const { requests, catalogues } = await loadEveryday();
  const open = Map.groupBy(
    requests.filter(({ kept }) => !kept),
    ({ catalogue }) => catalogue,
  );
  for (const [catalogue, list] of open) {
    const deps = catalogues.get(catalogue);
    if (deps !== undefined) await addEveryday(catalogue, list, await depsOf(everydayBenchmark(list, deps)), add);
  }
  return all;
};

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

const addEveryday = async (
  catalogue: string,
  requests: readonly Everyday[],
  deps: DecideDeps,
  add: Add,
): Promise<void> => {
  for (const { query, tools, acceptable } of requests) {
    await add(
      'everyday',
      `${catalogue} ${tools[0]}`,
      { task: query, now: NOW },
      deps,
      2,
      (tool, given) => tool !== null && tools.includes(tool) && wrongArguments(given, acceptable).length === 0,
    );
  }
};

/** The lowest probability from which on the calls predicted are right often enough. */
const thresholdFor = (judged: readonly Judgement[], predicted: readonly number[]): number => {
  const sorted = judged
    .map(({ right, complete, weight }, at) => ({ right, complete, weight, chance: predicted[at] ?? 0 }))
    .filter(({ complete }, at) => complete && !judged[at]?.set.startsWith('everyday'))
    .sort((one, other) => other.chance - one.chance);
  let [all, good, threshold] = [0, 0, 1];
  for (const { right, weight, chance } of sorted) {
    all += weight;
    if (right) good += weight;
    if (good / all >= PRECISION) threshold = chance;
  }
  return threshold;
};

const report = (judged: readonly Judgement[], predicted: readonly number[], threshold: number): void => {
  const rows = judged.map((each, at) => ({ ...each, chance: predicted[at] ?? 0 }));
  for (const [set, list] of Map.groupBy(rows, (row) => row.set)) {
    const ready = list.filter(({ complete, chance }) => complete && chance >= threshold);
    console.log(
      `ready ${set.padEnd(22)} n ${String(list.length).padStart(4)}  ready ${((100 * ready.length) / list.length).toFixed(1)} %, of which right ${((100 * ready.filter(({ right }) => right).length) / ready.length).toFixed(1)} % (tools left out)`,
    );
  }
  const sorted = rows.filter(({ complete }) => complete).sort((one, other) => other.chance - one.chance);
  for (const share of [0.2, 0.3, 0.4, 0.45, 0.5, 0.6]) {
    const part = sorted.slice(0, Math.round(share * rows.length));
    console.log(
      `surest ${(100 * share).toFixed(0)} %: right ${((100 * part.filter(({ right }) => right).length) / part.length).toFixed(1)} %, from ${(part.at(-1)?.chance ?? 0).toFixed(3)}`,
    );
  }
  console.log('predicted  observed  n');
  for (let low = 0; low < 1; low += 0.1) {
    const part = rows.filter(({ chance }) => chance >= low && chance < low + 0.1);
    if (part.length === 0) continue;
    const mean = part.reduce((sum, { chance }) => sum + chance, 0) / part.length;
    console.log(
      `${mean.toFixed(3)}      ${(part.filter(({ right }) => right).length / part.length).toFixed(3)}     ${part.length}`,
    );
  }
};
