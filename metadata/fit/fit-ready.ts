import { writeFileSync } from 'node:fs';
import type { Weights } from '../../shared/decide/arguments/proposal-features.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { DecideDeps, DecideInput } from '../../shared/decide/decision.ts';
import { type CallEvidence, isAssumed, readinessFeatures } from '../../shared/decide/readiness.ts';
import { wrongArguments } from './acceptable.ts';
import { loadEveryday, NOW } from './everyday-data.ts';
import { foldOf } from './folds.ts';
import { loadBenchmark } from './selection-data.ts';

/** A decision on a request whose answer is known: what was known of the call, and whether it was right. */
interface Judgement {
  readonly set: string;
  readonly group: string;
  readonly features: readonly (readonly [string, number])[];
  readonly right: boolean;
  /** Whether a call was drafted that lacks nothing, so that it may be ready at all. */
  readonly complete: boolean;
  readonly weight: number;
}

const FOLDS = 4;
/** Of the calls of the benchmarks that are called ready, this share is right at least. */
const PRECISION = 0.93;

/** Makes `ready.json`: the weights of the probability of a call, and the threshold from which it is ready. */
export const fitReady = async (directory: string, weightsWithout: (tool: string) => Weights): Promise<void> => {
  const judged = await judgements(directory, weightsWithout);
  const predicted = judged.map(() => 0);
  for (let fold = 0; fold < FOLDS; fold++) {
    const weights = fitLogistic(judged.filter(({ group }) => foldOf(group, FOLDS) !== fold));
    for (const [at, { group, features }] of judged.entries())
      if (foldOf(group, FOLDS) === fold) predicted[at] = probability(features, weights);
  }
  const threshold = thresholdFor(judged, predicted);
  report(judged, predicted, threshold);
  const weights = Object.fromEntries(
    Array.from(fitLogistic(judged), ([name, weight]) => [name, Math.round(weight * 1000) / 1000]),
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
): Promise<readonly Judgement[]> => {
  const all: Judgement[] = [];
  const add = async (
    set: string,
    group: string,
    input: DecideInput,
    deps: DecideDeps,
    weight: number,
    isRight: (tool: string | null, given: Readonly<Record<string, unknown>>) => boolean,
  ) => {
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
      set,
      group,
      features: readinessFeatures(evidence),
      right: isRight(decision.tool, decision.arguments),
      complete: evidence.missing === 0 && ![...evidence.found.values()].some(isAssumed),
      weight,
    });
  };
  const bfcl = loadBenchmark(directory, 'bfcl');
  for (const { subset, query, candidates, expected } of bfcl.queries) {
    if (subset.startsWith('parallel')) continue;
    const group = expected.tool ?? candidates?.[0] ?? '';
    await add(
      `bfcl ${subset}`,
      group,
      { task: query, candidates },
      bfcl.deps,
      1,
      (tool, given) =>
        tool !== null && tool === expected.tool && wrongArguments(given, expected.acceptable ?? {}).length === 0,
    );
  }
  const { requests, catalogues } = await loadEveryday();
  for (const { catalogue, kept, query, tools, acceptable } of requests) {
    const deps = catalogues.get(catalogue);
    if (kept || deps === undefined) continue;
    await add(
      'everyday',
      `${catalogue} ${tools[0]}`,
      { task: query, now: NOW },
      deps,
      2,
      (tool, given) => tool !== null && tools.includes(tool) && wrongArguments(given, acceptable).length === 0,
    );
  }
  return all;
};

const probability = (features: Judgement['features'], weights: ReadonlyMap<string, number>): number => {
  let sum = 0;
  for (const [name, value] of features) sum += value * (weights.get(name) ?? 0);
  return 1 / (1 + Math.exp(-sum));
};

/** Logistic regression by Adam, the weights drawn to zero a little. */
const fitLogistic = (judged: readonly Judgement[]): ReadonlyMap<string, number> => {
  const names = (judged[0]?.features ?? []).map(([name]) => name);
  const rows = judged.map(({ features }) => Float64Array.from(features, ([, value]) => value));
  const total = judged.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Float64Array(names.length);
  const mean = new Float64Array(names.length);
  const square = new Float64Array(names.length);
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = weights.map((weight) => DECAY * weight);
    for (const [at, row] of rows.entries()) {
      let sum = 0;
      for (let column = 0; column < row.length; column++) sum += (row[column] ?? 0) * (weights[column] ?? 0);
      const { right, weight } = judged[at] as Judgement;
      const error = (weight / total) * (1 / (1 + Math.exp(-sum)) - (right ? 1 : 0));
      for (let column = 0; column < row.length; column++)
        gradient[column] = (gradient[column] ?? 0) + error * (row[column] ?? 0);
    }
    for (let at = 0; at < names.length; at++) {
      const slope = gradient[at] ?? 0;
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const step = (mean[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - RATE * step;
    }
  }
  return new Map(names.map((name, at) => [name, weights[at] ?? 0]));
};

const ROUNDS = 800;
const RATE = 0.05;
const DECAY = 3e-3;

/** The lowest probability from which on the calls predicted are right often enough. */
const thresholdFor = (judged: readonly Judgement[], predicted: readonly number[]): number => {
  const sorted = judged
    .map(({ right, complete, weight }, at) => ({ right, complete, weight, chance: predicted[at] ?? 0 }))
    .filter(({ complete }, at) => complete && judged[at]?.set !== 'everyday')
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
