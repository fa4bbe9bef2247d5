import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One import of a source file. `to` is a path from the root, or the name of a package. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** `type`: erased at run time; `start`: loaded with the file; `later`: a dynamic import. */
  readonly when: 'type' | 'start' | 'later';
}

export interface Source {
  readonly file: string;
  readonly text: string;
}

/** The sources of the product, without its tests. */
export const readSources = async (pattern = '{shared,functions,infra}/**/*.{ts,tsx}'): Promise<readonly Source[]> => {
  const files = (await Array.fromAsync(glob(pattern, { cwd: root }))).map(normalize).sort();
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));
};

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gms;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.ts)['"],\s*import\.meta\.url\)/g;

export const importsOf = ({ file, text }: Source): readonly Import[] => {
  const arrow = (to: string, when: Import['when']): Import => ({
    from: file,
    to: to.startsWith('.') ? normalize(join(dirname(file), to)) : to,
    when,
  });
  return [
    ...[...text.matchAll(STATIC)].map(([, type, to = '']) => arrow(to, type === undefined ? 'start' : 'type')),
    ...[...text.matchAll(DYNAMIC)].map(([, module, thread]) => arrow(module ?? thread ?? '', 'later')),
  ];
};

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The import graph of the groups that `groupOf` assigns to files; imports inside a group are left out. */
export const graphOf = (imports: readonly Import[], groupOf: (file: string) => string | undefined): Graph => {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [groupOf(from), groupOf(to)];
    if (source === undefined || target === undefined || source === target) continue;
    graph.set(source, (graph.get(source) ?? new Set()).add(target));
  }
  return graph;
};

/** Every edge that closes a cycle, as the path of the cycle: `a -> b -> a`. */
export const cyclesIn = (graph: Graph): readonly string[] => {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    const start = path.indexOf(node);
    if (start >= 0) found.push([...path.slice(start), node].join(' -> '));
    if (start >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
};

/** The module of a file, such as `shared/iqa`, `functions/api` or `infra`. */
export const moduleOf = (file: string): string | undefined => {
  const [top = '', second = ''] = file.split('/');
  if (top === 'infra' || top === 'metadata') return top;
  return top === 'shared' || top === 'functions' ? `${top}/${second}` : undefined;
};
