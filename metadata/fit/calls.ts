import { readFileSync } from 'node:fs';
import type { Tool } from '../../shared/model/tool.ts';
import type { Call } from './argument-examples.ts';
import { type Compact, type Everyday, loadEveryday, NOW, toolOf } from './everyday-data.ts';
import { foldOf } from './folds.ts';
import { loadBenchmark, type Query } from './selection-data.ts';

/** All requests with known arguments: the benchmarks' development halves and the open half of our own. */
export const loadCalls = async (directory: string): Promise<readonly Call[]> => {
  const bfcl = loadBenchmark(directory, 'bfcl');
  const seal = loadBenchmark(directory, 'sealtools');
  const everyday = await loadEveryday();
  return [
    ...bfcl.queries.flatMap((query) => bfclCall(query, bfcl.deps.tool)),
    ...seal.queries.flatMap((query) => sealCalls(query, seal.deps.tool)),
    ...everyday.requests.flatMap((request) => everydayCall(request, everyday.catalogues.get(request.catalogue)?.tool)),
    ...saidCalls(),
  ];
};

/** Our own requests with texts to be copied verbatim; the benchmarks have few tools that take such texts. */
const saidCalls = (): readonly Call[] => {
  const { tools, calls } = JSON.parse(readFileSync(new URL('said-calls.json', import.meta.url), 'utf8')) as {
    readonly tools: readonly Compact[];
    readonly calls: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[];
  };
  const byName = new Map(tools.map((tool) => [tool[0], toolOf(tool)]));
  return calls.flatMap(([name, query, given]) => {
    const tool = byName.get(name);
    const acceptable = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, [value]]));
    return tool === undefined ? [] : [{ id: query, set: 'said', query, tool, acceptable, weight: 0.5, now: NOW }];
  });
};

type Find = (name: string) => Tool | undefined;

const bfclCall = ({ id, subset, query, expected }: Query, find: Find): readonly Call[] => {
  const tool = find(expected.tool ?? '');
  return tool === undefined || expected.acceptable === undefined
    ? []
    : [{ id, set: `bfcl ${subset}`, query, tool, acceptable: expected.acceptable, weight: 1 }];
};

/** Each call of a request for several tools is an example, with less weight as other calls' values surround its own. */
const sealCalls = ({ id, subset, query, expected }: Query, find: Find): readonly Call[] => {
  const nodes =
    expected.plan?.nodes ?? (expected.tool ? [{ tool: expected.tool, arguments: expected.arguments ?? {} }] : []);
  if (nodes.length > 1 && foldOf(id, SAMPLE) !== 0) return [];
  return nodes.flatMap((node): readonly Call[] => {
    const tool = find(node.tool);
    const given = Object.entries(node.arguments ?? {});
    if (tool === undefined || given.some(([, value]) => typeof value === 'string' && /API_call_\d/u.test(value)))
      return [];
    const acceptable = Object.fromEntries(given.map(([name, value]) => [name, [value]]));
    return [
      {
        id: `${id} ${tool.name}`,
        set: `sealtools ${subset}`,
        query,
        tool,
        acceptable,
        weight: nodes.length > 1 ? 0.2 : 1,
      },
    ];
  });
};

/** One in this many requests for several tools is used. */
const SAMPLE = 6;

const everydayCall = (request: Everyday, find: Find | undefined): readonly Call[] => {
  const [name = ''] = request.tools;
  const tool = find?.(name);
  return tool === undefined || request.kept
    ? []
    : [
        {
          id: request.query,
          set: 'everyday',
          query: request.query,
          tool,
          acceptable: request.acceptable,
          weight: 2,
          now: NOW,
        },
      ];
};
