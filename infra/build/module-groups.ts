import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './paths.ts';
import startModules from './start-modules.json' with { type: 'json' };

/** One of our modules, and the packages it imports. */
export interface Source {
  readonly module: string;
  readonly packages: readonly string[];
}

/** The file of a bundle that contains a module, and the module's name there. */
export interface Place {
  readonly file: string;
  readonly name: string;
}

export interface ModuleGroups {
  readonly placeOf: (module: string) => Place | undefined;
  /** The files to bundle beside the function. */
  readonly entries: Readonly<Record<string, string>>;
  readonly plugin: Plugin;
}

/** The file that every start loads; it counts as code of the start. */
export const START_FILE = 'group-start';

/**
 * Groups modules into files by when they are needed: for a first response, for a first call (both measured by
 * `npm run bench -- start-modules`), and the others by folder. A file is loaded on the first use of one of its modules.
 * A module in the wrong file only costs a little time.
 */
export const groupModules = (entry: string, sources: readonly Source[]): ModuleGroups => {
  const seen = filesSeen(entry);
  const alone = new Set(sources.filter(({ packages }) => packages.some(isLarge)).map(({ module }) => module));
  const modules = sources.map(({ module }) => module);
  const fileOf = (module: string): string => {
    const path = relative(root, module).replaceAll('\\', '/');
    const place = alone.has(module) ? path.replace(/\.ts$/, '') : `${dirname(path)}/all`;
    // Every file that uses a group contains its name, so long names add up.
    return seen.get(path) ?? `group-${place.replace(/^shared\//, '').replaceAll(/\W+/g, '-')}`;
  };
  const places = new Map(modules.map((module, index) => [module, { file: fileOf(module), name: `m${index}` }]));
  const files = Map.groupBy(modules, fileOf);
  return {
    placeOf: (module) => places.get(module),
    entries: Object.fromEntries([...files.keys()].map((file) => [file, `${GROUP}:${file}`])),
    plugin: {
      name: 'module-groups',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^module-group:/ }, ({ path }) => ({ path, namespace: GROUP }));
        onResolve({ filter: /^\.\/group-[\w-]+\.mjs$/ }, ({ path }) => ({ path, external: true }));
        onLoad({ filter: /.*/, namespace: GROUP }, ({ path }) => ({
          contents: (files.get(path.slice(GROUP.length + 1)) ?? [])
            .map((module) => `export { load as ${places.get(module)?.name} } from ${JSON.stringify(module)};`)
            .join('\n'),
          resolveDir: root,
        }));
      },
    },
  };
};

const GROUP = 'module-group';

/** Modules that import a package other than zod get a file of their own, because the rest of the folder does not need it. */
const isLarge = (name: string): boolean => name !== 'zod' && !name.startsWith('node:');

type Seen = Readonly<Record<string, readonly string[]>>;

/** By module: the file of the first event that evaluated it. A function that was not measured uses the data of all. */
const filesSeen = (entry: string): ReadonlyMap<string, string> => {
  const all: Readonly<Record<string, Seen>> = startModules;
  const own = all[entry.split('/')[1] ?? ''];
  const seen = own ? [own] : Object.values(all);
  return new Map(
    seen.flatMap((events) =>
      Object.entries(events).flatMap(([when, modules]) => modules.map((module) => [module, `group-${when}`] as const)),
    ),
  );
};

/** Loads a module from its file; `require` can load ES modules, synchronously. */
export const askFile = ({ file, name }: Place): string => `require('./${file}.mjs').${name}()`;
