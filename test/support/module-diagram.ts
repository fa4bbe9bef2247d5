import { readFile, writeFile } from 'node:fs/promises';
import { type Graph, graphOf, importsOf, moduleOf, readSources } from './source-graph.ts';

const file = new URL('../../ARCHITECTURE.md', import.meta.url);
const BLOCK = /<!-- modules -->\n[\s\S]*?<!-- \/modules -->/;

/** ARCHITECTURE.md as it is, and as it should be for the modules and arrows of the current sources. */
export const readDiagram = async (): Promise<{ readonly is: string; readonly shall: string }> => {
  const is = await readFile(file, 'utf8');
  const imports = (await readSources()).flatMap(importsOf);
  const diagram = `<!-- modules -->\n\`\`\`mermaid\n${toMermaid(graphOf(imports, moduleOf))}\n\`\`\`\n<!-- /modules -->`;
  return { is, shall: is.replace(BLOCK, () => diagram) };
};

const toMermaid = (graph: Graph): string => {
  const names = [...new Set([...graph].flatMap(([from, to]) => [from, ...to]))].sort();
  const group = (top: string): readonly string[] => [
    `  subgraph ${top}`,
    ...names.filter((name) => name.startsWith(`${top}/`)).map((name) => `    ${idOf(name)}[${nameOf(name)}]`),
    '  end',
  ];
  const arrows = names.flatMap((from) => direct(graph, from).map((to) => `  ${idOf(from)} --> ${idOf(to)}`));
  return ['flowchart TD', ...group('functions'), ...group('shared'), ...arrows].join('\n');
};

const idOf = (name: string): string => name.replaceAll(/[^a-z]/g, '_');
const nameOf = (name: string): string => name.replace(/^\w+\//, '');

/** The transitive reduction: arrows that no longer path implies. */
const direct = (graph: Graph, from: string): readonly string[] => {
  const targets = [...(graph.get(from) ?? [])];
  const reached = new Set(targets.flatMap((target) => [...below(graph, target)]));
  return targets.filter((target) => !reached.has(target)).sort();
};

const below = (graph: Graph, from: string, found = new Set<string>()): ReadonlySet<string> => {
  for (const next of graph.get(from) ?? [])
    if (!found.has(next)) {
      found.add(next);
      below(graph, next, found);
    }
  return found;
};

if (import.meta.main) await writeFile(file, (await readDiagram()).shall);
