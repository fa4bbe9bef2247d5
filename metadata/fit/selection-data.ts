import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DecideDeps } from '../../shared/decide/decision.ts';
import type { Tool } from '../../shared/model/tool.ts';
import { createSearchIndex } from '../../shared/search/search-index.ts';

export interface Query {
  readonly id: string;
  readonly subset: string;
  readonly query: string;
  readonly candidates?: readonly string[];
  readonly expected: {
    readonly tool?: string | null;
    readonly alternatives?: readonly string[];
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly acceptable?: Readonly<Record<string, readonly unknown[]>>;
    readonly plan?: {
      readonly nodes: readonly { readonly tool: string; readonly arguments?: Readonly<Record<string, unknown>> }[];
    };
  };
}

export interface Benchmark {
  readonly name: string;
  readonly queries: readonly Query[];
  readonly deps: DecideDeps;
}

export const BENCHMARKS = ['bfcl', 'toole', 'sealtools', 'stabletoolbench', 'livemcpbench'] as const;

export const loadBenchmark = (directory: string, name: string): Benchmark => ({
  name,
  queries: readLines<Query>(join(directory, name, 'queries.jsonl')),
  deps: depsFor(readLines<Tool>(join(directory, name, 'tools.jsonl'))),
});

/** Indexes tools directly, without the checks of the registry, so that their names may have any form. */
export const depsFor = (tools: readonly Tool[]): DecideDeps => {
  const index = createSearchIndex();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of byName.values()) index.set(tool);
  const names = [...byName.keys()];
  return { index, tool: (name) => byName.get(name), names: () => names };
};

/** The tools that are right for a query; several when it needs a plan or allows a choice. */
export const goldOf = ({ expected }: Query): readonly string[] => {
  if (expected.plan !== undefined) return [...new Set(expected.plan.nodes.map(({ tool }) => tool))];
  return typeof expected.tool === 'string' ? [expected.tool, ...(expected.alternatives ?? [])] : [];
};

const readLines = <T>(file: string): readonly T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
