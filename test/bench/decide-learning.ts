import { foldOf } from '../../metadata/fit/folds.ts';
import { type Benchmark, goldOf, loadBenchmark, type Query } from '../../metadata/fit/selection-data.ts';
import { decide } from '../../shared/decide/decide.ts';
import type { Decision } from '../../shared/decide/decision.ts';
import type { Memory } from '../../shared/insight/memory.ts';
import { nearestExamples, readExampleTexts } from '../../shared/search/near-examples.ts';

/**
 * The gain from remembered requests: some of ToolE's requests are remembered, others are asked.
 *   npm run bench -- decide-learning --data <directory> [--asked N]
 */
export const bench = async (args: readonly string[]): Promise<void> => {
  const option = (name: string): string | undefined => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const directory = option('--data');
  if (directory === undefined) throw new Error('name the data: npm run bench -- decide-learning --data <directory>');
  const benchmark = loadBenchmark(directory, 'toole');
  const single = benchmark.queries.filter(({ subset }) => subset === 'single');
  const remembered = single.filter(({ id }) => foldOf(id, 2) === 0);
  const asked = single.filter(({ id }) => foldOf(id, 2) === 1).slice(0, Number(option('--asked') ?? single.length));
  for (const most of [0, 1, 3, 12]) {
    const decisions = await decideAll(benchmark, asked, memoryOf(remembered, most));
    const right = decisions.filter(({ query, decision }) => goldOf(query).includes(firstOf(decision))).length;
    const ready = decisions.filter(({ decision }) => decision.ready).length;
    console.log(
      `toole, up to ${String(most).padStart(2)} earlier requests a tool  n ${decisions.length}  top-1 ${((100 * right) / decisions.length).toFixed(1)} %  ready ${ready}`,
    );
  }
};

const decideAll = async (benchmark: Benchmark, queries: readonly Query[], memory: Memory) => {
  const all: { readonly query: Query; readonly decision: Decision }[] = [];
  for (const query of queries)
    all.push({ query, decision: await decide({ task: query.query }, { ...benchmark.deps, memory }) });
  return all;
};

const firstOf = ({ tool, alternatives }: Decision): string => tool ?? alternatives[0]?.tool ?? '';

const memoryOf = (queries: readonly Query[], most: number): Memory => {
  const texts = new Map(
    [...Map.groupBy(queries, (query) => goldOf(query)[0] ?? '')].map(([tool, list]) => [
      tool,
      readExampleTexts(list.slice(0, most).map(({ id, query }) => ({ id, request: query }))),
    ]),
  );
  return {
    revision: 1,
    nearest: (request, tools) => nearestExamples(request, tools, (name) => texts.get(name) ?? []),
  };
};
