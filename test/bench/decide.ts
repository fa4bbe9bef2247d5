import { wrongArguments } from '../../metadata/fit/acceptable.ts';
import { encodeBenchmark, openEncoder } from '../../metadata/fit/encode-benchmark.ts';
import { BENCHMARKS, type Benchmark, goldOf, loadBenchmark, type Query } from '../../metadata/fit/selection-data.ts';
import { argumentsFor } from '../../shared/decide/arguments.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { Decision } from '../../shared/decide/decision.ts';
import { bench as benchSpeed } from './decide-speed.ts';
import { summary } from './report.ts';

/**
 * Accuracy and speed of choosing tools, on the public benchmarks in a directory:
 *   npm run bench -- decide --data <directory> [--only <benchmark>] [--vectors <directory>]
 * With a folder for encoder vectors, tools are also chosen with the sentence encoder.
 */
export const bench = async (args: readonly string[]): Promise<void> => {
  const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const directory = option('--data');
  if (directory === undefined) throw new Error('name the data: npm run bench -- decide --data <directory>');
  const names = BENCHMARKS.filter((name) => (option('--only') ?? name) === name);
  const vectors = option('--vectors');
  const encoder = vectors === undefined ? undefined : await openEncoder();
  for (const name of names) {
    const benchmark = loadBenchmark(directory, name);
    await printRanking(benchmark);
    await printSearch(benchmark);
    if (encoder !== undefined) {
      const encoded = { ...benchmark, deps: await encodeBenchmark(benchmark, encoder, vectors) };
      await printRanking(encoded, ', encoder');
      await printSearch(encoded, ', encoder');
    }
    await printRejection(benchmark);
    if (name === 'bfcl') await printArguments(benchmark);
    if (name === 'bfcl') await printReadiness(benchmark);
  }
  await encoder?.close();
  await benchSpeed(args);
};

/** BFCL gives each query its own candidates; the others choose from the whole pool. */
const ownCandidates = ({ name }: Benchmark, query: Query): boolean => name === 'bfcl' || query.expected.tool === null;

const decideOn = (benchmark: Benchmark, query: Query): Promise<Decision> =>
  decide(
    { task: query.query, top: 8, ...(ownCandidates(benchmark, query) ? { candidates: query.candidates } : {}) },
    benchmark.deps,
  );

const rankingOf = (decision: Decision): readonly string[] => {
  const alternatives = decision.alternatives.map(({ tool }) => tool);
  return decision.tool === null ? alternatives : [decision.tool, ...alternatives];
};

const printRanking = async (benchmark: Benchmark, suffix = ''): Promise<void> => {
  const subsets = Map.groupBy(
    benchmark.queries.filter((query) => isRanked(benchmark, query)),
    ({ subset }) => subset,
  );
  const parts = [...subsets].map(([subset, queries]) => ({ label: `${benchmark.name} ${subset}`, queries }));
  const judged = benchmark.name === 'toole' ? parts.filter(({ label }) => label.endsWith('single')) : parts;
  for (const { label, queries } of [
    ...parts,
    { label: `${benchmark.name} ALL`, queries: judged.flatMap((part) => part.queries) },
  ]) {
    console.log(await rankingRow(`${label}${suffix}`, benchmark, queries));
  }
};

/** Recall at 5 of `find_tools` and `GET /v1/tools?q=` in a whole catalogue. */
const printSearch = async (benchmark: Benchmark, suffix = ''): Promise<void> => {
  if (benchmark.name === 'bfcl') return;
  const { index, encode } = benchmark.deps;
  const wanted = benchmark.queries.filter((query) => goldOf(query).length > 0);
  const judged = benchmark.name === 'toole' ? wanted.filter(({ subset }) => subset === 'single') : wanted;
  let [first, recalled] = [0, 0];
  for (const { query, ...expected } of judged) {
    const hits = index.search(query, { limit: 5, vectors: await encode?.(query) }).map(({ name }) => name);
    const gold = goldOf({ query, ...expected });
    if (gold.includes(hits[0] ?? '')) first++;
    recalled += gold.filter((name) => hits.includes(name)).length / gold.length;
  }
  console.log(
    `${`${benchmark.name} search${suffix}`.padEnd(28)} n ${String(judged.length).padStart(4)}  top-1 ${percent(first / judged.length)}  recall@5 ${percent(recalled / judged.length)}`,
  );
};

const isRanked = ({ name }: Benchmark, query: Query): boolean =>
  goldOf(query).length > 0 && (name !== 'bfcl' || query.subset === 'multiple' || query.subset === 'live_multiple');

const rankingRow = async (label: string, benchmark: Benchmark, queries: readonly Query[]): Promise<string> => {
  const ranks: number[] = [];
  const times: number[] = [];
  let complete = 0;
  for (const query of queries) {
    const start = performance.now();
    const ranking = rankingOf(await decideOn(benchmark, query));
    times.push(performance.now() - start);
    const gold = goldOf(query);
    ranks.push(ranking.findIndex((name) => gold.includes(name)));
    if (gold.every((name) => ranking.slice(0, 5).includes(name))) complete++;
  }
  const within = (limit: number): string =>
    percent(ranks.filter((rank) => rank >= 0 && rank < limit).length / ranks.length);
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank < 0 ? 0 : 1 / (rank + 1)), 0) / ranks.length;
  const halves = spread(ranks.map((rank) => rank === 0));
  return `${label.padEnd(28)} n ${String(queries.length).padStart(4)}  top-1 ${within(1)} (${halves})  top-3 ${within(3)}  top-5 ${within(5)}  MRR ${reciprocal.toFixed(3)}  all gold in 5 ${percent(complete / queries.length)}  ${median(times).toFixed(2)} ms`;
};

/** How well requests that no candidate fits are distinguished from those that one fits. */
const printRejection = async (benchmark: Benchmark): Promise<void> => {
  const pairs = {
    bfcl: [
      ['irrelevance', ['simple_python', 'multiple']],
      ['live_irrelevance', ['live_simple', 'live_multiple']],
    ],
    toole: [['reliability', ['single']]],
  } as Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>>;
  for (const [none, some] of pairs[benchmark.name] ?? []) {
    const negative = await confidences(benchmark, (query) => query.subset === none);
    const positive = await confidences(benchmark, (query) => some.includes(query.subset));
    console.log(
      `${`${benchmark.name} ${none}`.padEnd(28)} n ${String(negative.length).padStart(4)}  no-tool AUC ${areaUnderCurve(positive, negative).toFixed(3)}  rejected ${percent(share(negative, (each) => each.none))}  kept ${percent(1 - share(positive, (each) => each.none))}`,
    );
  }
};

interface Confidence {
  readonly fit: number;
  readonly none: boolean;
}

const confidences = async (benchmark: Benchmark, holds: (query: Query) => boolean): Promise<readonly Confidence[]> => {
  const list: Confidence[] = [];
  for (const query of benchmark.queries.filter(holds)) {
    const decision = await decideOn(benchmark, query);
    // The fourth step has the probability that a tool fits at all; the decision's confidence is that of the whole call.
    const fit = decision.steps.find(({ step }) => step === 'evaluate')?.confidence ?? 0;
    list.push({ fit: decision.tool === null ? 1 - decision.confidence : fit, none: decision.tool === null });
  }
  return list;
};

const areaUnderCurve = (positive: readonly Confidence[], negative: readonly Confidence[]): number => {
  let won = 0;
  for (const one of positive)
    for (const other of negative) won += one.fit > other.fit ? 1 : one.fit === other.fit ? 0.5 : 0;
  return won / (positive.length * negative.length);
};

/** With the right tool given, the share of calls whose arguments are all right by the benchmark's rules. */
const printArguments = async (benchmark: Benchmark): Promise<void> => {
  const subsets = Map.groupBy(
    benchmark.queries.filter(({ expected }) => expected.acceptable !== undefined),
    ({ subset }) => subset,
  );
  for (const [subset, queries] of subsets) {
    const exact: boolean[] = [];
    let complete = 0;
    const times: number[] = [];
    for (const query of queries) {
      const tool = benchmark.deps.tool(query.expected.tool ?? '');
      if (tool === undefined) continue;
      const start = performance.now();
      const filled = await argumentsFor({ task: query.query }, tool, benchmark.deps);
      times.push(performance.now() - start);
      exact.push(wrongArguments(filled.arguments, query.expected.acceptable ?? {}).length === 0);
      if (filled.missing.length === 0) complete++;
    }
    console.log(
      `${`bfcl ${subset} arguments`.padEnd(28)} n ${String(queries.length).padStart(4)}  exact ${percent(exact.filter(Boolean).length / queries.length)} (${spread(exact)})  required all there ${percent(complete / queries.length)}  ${median(times).toFixed(2)} ms`,
    );
  }
};

/** The precision of `ready`, and the calibration of the confidence. */
const printReadiness = async (benchmark: Benchmark): Promise<void> => {
  const calls: { readonly ready: boolean; readonly right: boolean; readonly chance: number; readonly fits: boolean }[] =
    [];
  for (const query of benchmark.queries) {
    if (query.expected.acceptable === undefined && query.expected.tool !== null) continue;
    const { tool, arguments: given, ready, confidence } = await decideOn(benchmark, query);
    const right =
      tool !== null &&
      tool === query.expected.tool &&
      wrongArguments(given, query.expected.acceptable ?? {}).length === 0;
    calls.push({ ready, right, chance: tool === null ? 0 : confidence, fits: query.expected.tool !== null });
  }
  const some = calls.filter(({ fits }) => fits);
  const none = calls.filter(({ fits }) => !fits);
  const ready = calls.filter((call) => call.ready);
  console.log(
    `${`${benchmark.name} ready`.padEnd(28)} n ${String(some.length).padStart(4)}  ready ${percent(share(some, (call) => call.ready))}  of which right ${percent(share(ready, ({ right }) => right))}  irrelevant ones ready ${percent(share(none, (call) => call.ready))}`,
  );
  console.log('predicted  observed  n (reliability of the confidence of drafted calls)');
  for (let low = 0; low < 10; low++) {
    const part = calls.filter(({ chance }) => chance > 0 && Math.min(9, Math.floor(chance * 10)) === low);
    if (part.length === 0) continue;
    const mean = part.reduce((sum, { chance }) => sum + chance, 0) / part.length;
    console.log(`${percent(mean)}    ${percent(share(part, ({ right }) => right))}   ${part.length}`);
  }
};

/** The range of the result over many random halves, with a fixed seed: an estimate of the sampling error. */
const spread = (right: readonly boolean[]): string => {
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 8;
  };
  const shares = Array.from({ length: HALVES }, () => {
    const mixed = right.map((value) => ({ value, place: random() })).sort((one, other) => one.place - other.place);
    return share(mixed.slice(0, Math.max(1, right.length >> 1)), ({ value }) => value) * 100;
  });
  return `halves ${Math.min(...shares).toFixed(1)}-${Math.max(...shares).toFixed(1)}`;
};
const HALVES = 40;

const share = <T>(list: readonly T[], holds: (item: T) => boolean): number => list.filter(holds).length / list.length;
const median = (values: readonly number[]): number => summary(values).p50;
const percent = (part: number): string => `${(part * 100).toFixed(1).padStart(5)} %`;
