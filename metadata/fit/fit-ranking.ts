import { writeFileSync } from 'node:fs';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import type { SentenceEncoder } from '../../shared/search/sentence-encoder.ts';
import { encodeBenchmark, openEncoder } from './encode-benchmark.ts';
import { loadEveryday, NOW } from './everyday-data.ts';
import { foldOf } from './folds.ts';
import { type Judged, learnFitting, learnRanking } from './learn.ts';
import { type Example, examplesOf, FEATURE_NAMES } from './ranking-examples.ts';
import { BENCHMARKS, type Benchmark, goldOf, loadBenchmark } from './selection-data.ts';

/** Writes `ranking.json`, and prints the accuracy on held-out tools. */
export const fitRanking = async (directory: string, vectors?: string): Promise<void> => {
  const [words, encoded]: [Example[], Example[]] = [[], []];
  for (const name of RANKED) words.push(...(await wordExamples(directory, name)));
  const encoder = await openEncoder();
  for (const name of RANKED) encoded.push(...(await encodedExamples(directory, name, encoder, vectors)));
  await encoder.close();
  write(learnWeights(words, encoded));
};

/** The benchmarks, and the open half of our own requests. */
const RANKED = [...BENCHMARKS, 'everyday'] as const;

/** Learns the weights with and without the encoder, and prints their accuracy on held-out tools. */
const learnWeights = (all: readonly Example[], read: readonly Example[]) => {
  const learnt = onlyRanked(all);
  const encoded = onlyRanked(read);
  printLeftOut('words', all);
  printLeftOut('encoder', read);
  const english = learnRanking(groupsOf(learnt));
  const fitting = learnFitting(judgedOf(all, english));
  // There are too few Chinese requests to learn from alone, so they only adjust the English weights.
  const chinese = learnRanking([learnt.filter((example) => example.chinese)], english);
  const chineseFitting = learnFitting(
    judgedOf(
      all.filter((example) => example.chinese),
      chinese,
    ),
    fitting,
  );
  const words = learnt.map(withoutArguments);
  const search = learnRanking(groupsOf(words));
  const chineseSearch = learnRanking([words.filter((example) => example.chinese)], search);
  return {
    english: { ranking: named(english), search: named(search), fitting: named(fitting) },
    encoded: {
      ranking: named(learnRanking(groupsOf(encoded))),
      search: named(learnRanking(groupsOf(encoded.map(withoutArguments)))),
    },
    chinese: { ranking: named(chinese), search: named(chineseSearch), fitting: named(chineseFitting) },
  };
};

/** Requests whose right tool is among the candidates; LiveMCPBench has too few and is only tested on. */
const onlyRanked = (examples: readonly Example[]): readonly Example[] =>
  examples.filter(
    ({ benchmark, subset, gold }) =>
      gold.includes(true) &&
      (benchmark !== 'bfcl' || subset.endsWith('multiple')) &&
      benchmark !== 'livemcpbench' &&
      subset !== 'reliability',
  );

/** Prints the accuracy on held-out tools by two-fold cross-validation; LiveMCPBench is never learnt from. */
const printLeftOut = (label: string, all: readonly Example[]): void => {
  const learnt = onlyRanked(all);
  const tested = [...learnt, ...all.filter(({ benchmark }) => benchmark === 'livemcpbench')];
  for (const [kind, change] of [
    ['ranking', (example: Example) => example],
    ['search', withoutArguments],
  ] as const) {
    const results = new Map<string, { readonly first: boolean; readonly recall: number }[]>();
    for (const half of [0, 1]) {
      const weights = learnRanking(groupsOf(learnt.filter(({ group }) => foldOf(group, 2) !== half).map(change)));
      for (const example of tested.filter(({ group }) => foldOf(group, 2) === half).map(change))
        results.set(example.benchmark, [...(results.get(example.benchmark) ?? []), resultOf(example, weights)]);
    }
    for (const [name, list] of results) {
      const share = (100 * list.filter(({ first }) => first).length) / list.length;
      const recall = (100 * list.reduce((sum, each) => sum + each.recall, 0)) / list.length;
      console.log(
        `${kind} by ${label}, tools left out in turn: ${name.padEnd(16)} top-1 ${share.toFixed(1)} %, recall@5 ${recall.toFixed(1)} % of ${list.length} with the tool among the candidates`,
      );
    }
  }
};

const resultOf = (example: Example, weights: readonly number[]) => {
  const order = example.rows
    .map((row, at) => ({ at, score: row.reduce((sum, value, column) => sum + value * (weights[column] ?? 0), 0) }))
    .sort((one, other) => other.score - one.score);
  const right = order.slice(0, 5).filter(({ at }) => example.gold[at]).length;
  return { first: example.gold[order[0]?.at ?? -1] === true, recall: right / example.wanted };
};

/** The examples of a benchmark with encoder vectors. */
const encodedExamples = async (
  directory: string,
  name: (typeof RANKED)[number],
  encoder: SentenceEncoder,
  vectors: string | undefined,
): Promise<readonly Example[]> => {
  if (name === 'everyday') return everydayExamples((benchmark) => encodeBenchmark(benchmark, encoder, vectors));
  const benchmark = loadBenchmark(directory, name);
  const queries = benchmark.queries.filter(
    (query) =>
      goldOf(query).length > 0 &&
      (name !== 'toole' || query.subset === 'single') &&
      (name !== 'bfcl' || query.subset.endsWith('multiple')),
  );
  const deps = await encodeBenchmark({ ...benchmark, queries }, encoder, vectors);
  return examplesOf({ ...benchmark, queries, deps }, () => name === 'bfcl');
};

/** The same by words alone, including requests that no tool fits. */
const wordExamples = async (directory: string, name: (typeof RANKED)[number]): Promise<readonly Example[]> => {
  if (name === 'everyday') return everydayExamples();
  const benchmark = loadBenchmark(directory, name);
  const queries = benchmark.queries.filter(({ subset }) => name !== 'toole' || subset !== 'multi');
  return examplesOf({ ...benchmark, queries }, ({ expected }) => name === 'bfcl' || expected.tool === null);
};

/** The examples of the open half of our own requests. */
const everydayExamples = async (
  depsFor: (benchmark: Benchmark) => Promise<DecideDeps> = async ({ deps }) => deps,
): Promise<readonly Example[]> => {
  const { requests, catalogues } = await loadEveryday();
  const all: Example[] = [];
  for (const [name, deps] of catalogues) {
    const queries = requests
      .filter(({ catalogue, kept }) => catalogue === name && !kept)
      .map(({ query, tools }) => ({
        id: query,
        subset: tools.length === 0 ? 'irrelevance' : 'single',
        query,
        expected: { tool: tools[0] ?? null, alternatives: tools.slice(1) },
      }));
    const benchmark = { name: 'everyday', queries, deps };
    all.push(...(await examplesOf({ ...benchmark, deps: await depsFor(benchmark) }, () => false, NOW)));
  }
  return all;
};

const named = (weights: readonly number[]): Readonly<Record<string, number>> => {
  const names = [...FEATURE_NAMES, 'bias'];
  return Object.fromEntries(weights.map((weight, at) => [names[at] ?? '', Math.round(weight * 100) / 100]));
};

const write = (weights: Readonly<Record<string, unknown>>): void => {
  const table = { source: 'made by npm run fit: what speaks for a tool, beside others and at all', ...weights };
  writeFileSync(new URL('../ranking.json', import.meta.url), `${JSON.stringify(table, null, 2)}\n`);
};

/** Zeroes the argument features, which a search does not compute. */
const withoutArguments = (example: Example): Example => ({
  ...example,
  rows: example.rows.map((row) => row.map((value, at) => (OF_ARGUMENTS.has(FEATURE_NAMES[at] ?? '') ? 0 : value))),
});
const OF_ARGUMENTS: ReadonlySet<string> = new Set(['missing', 'sure', 'undemanding', 'explained', 'typed']);

/** ToolE counts twice, because its everyday wording is the hardest to match. */
const groupsOf = (examples: readonly Example[]): readonly (readonly Example[])[] =>
  [...Map.groupBy(examples, ({ benchmark }) => benchmark)].flatMap(([name, group]) =>
    name === 'toole' ? [group, group] : [group],
  );

const bestOf = ({ rows }: Example, weights: readonly number[]): number => {
  const scores = rows.map((row) => row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0));
  return scores.indexOf(Math.max(...scores));
};

const isRight = (example: Example, weights: readonly number[]): boolean =>
  example.gold[bestOf(example, weights)] === true;

/** Requests that no candidate fits, and those whose right tool ranks first (in BFCL all); weights balance kinds. */
const judgedOf = (examples: readonly Example[], ranking: readonly number[]): readonly Judged[] =>
  examples
    .filter(({ subset, rows }) => !subset.startsWith('parallel') && rows.length > 0)
    .flatMap((example) => {
      const none = example.subset.endsWith('irrelevance') || example.subset === 'reliability';
      if (!none && example.benchmark !== 'bfcl' && !isRight(example, ranking)) return [];
      const live = example.subset.startsWith('live');
      const kind = `${example.benchmark}${live ? ' live' : ''}${none ? ' none' : ''}`;
      const weight = KIND_WEIGHTS[kind];
      return weight === undefined
        ? []
        : [{ row: example.rows[bestOf(example, ranking)] ?? [], fits: !none, kind, weight }];
    });

const KIND_WEIGHTS: Readonly<Record<string, number>> = {
  bfcl: 1.3,
  'bfcl none': 1,
  'bfcl live': 1.3,
  'bfcl live none': 1,
  toole: 0.5,
  'toole none': 0.3,
  sealtools: 0.2,
  stabletoolbench: 0.2,
  everyday: 1,
  'everyday none': 0.5,
};
