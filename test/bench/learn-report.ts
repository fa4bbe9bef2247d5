import { type Example, examplesOf, FEATURE_NAMES, type Judged, learnFitting, learnRanking } from './learn-weights.ts';
import type { Benchmark } from './selection-data.ts';

/** Learns the weights of `shared/search/weights.ts` anew, with what they reach on tools they were not learnt from. */
export const printLearnt = async (benchmarks: readonly Benchmark[]): Promise<void> => {
  const all: Example[] = [];
  for (const benchmark of benchmarks) {
    const queries = benchmark.queries.filter(({ subset }) => benchmark.name !== 'toole' || subset !== 'multi');
    all.push(
      ...(await examplesOf(
        { ...benchmark, queries },
        ({ expected }) => benchmark.name === 'bfcl' || expected.tool === null,
      )),
    );
  }
  const ranked = all.filter(
    ({ benchmark, subset, gold }) => gold.includes(true) && (benchmark !== 'bfcl' || subset.endsWith('multiple')),
  );
  const learnt = ranked.filter(({ benchmark, subset }) => benchmark !== 'livemcpbench' && subset !== 'reliability');
  for (const half of [0, 1]) {
    const weights = learnRanking(groupsOf(learnt.filter((example) => halfOf(example.group) !== half)));
    for (const [name, examples] of Map.groupBy(
      learnt.filter((example) => halfOf(example.group) === half),
      ({ benchmark }) => benchmark,
    )) {
      console.log(
        `half ${half} held out: ${name} top-1 ${((100 * examples.filter((example) => isRight(example, weights)).length) / examples.length).toFixed(1)} % of those with the tool among the candidates`,
      );
    }
  }
  const ranking = learnRanking(groupsOf(learnt));
  print('RANKING', ranking);
  print('FITTING', learnFitting(judgedOf(all, ranking)));
};

/** Everyday wording is the hardest to match, so ToolE counts twice. */
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

/** Requests that no candidate fits, and those whose right tool came first; the former are few, so kinds are weighed. */
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
};

const print = (title: string, weights: readonly number[]): void => {
  const names = [...FEATURE_NAMES, 'bias'];
  console.log(title, Object.fromEntries(weights.map((weight, at) => [names[at], Math.round(weight * 100) / 100])));
};

const halfOf = (text: string): number => {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return (sum >>> 8) & 1;
};
