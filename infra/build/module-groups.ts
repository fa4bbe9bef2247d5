import { dirname, relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { root } from './paths.ts';
import startModules from './start-modules.json' with { type: 'json' };

/** A module of ours, and the packages that it imports. */
export interface Source {
  readonly module: string;
  readonly packages: readonly string[];
}

/** The file of a bundle that a module is in, and its name there. */
export interface Place {
  readonly file: string;
  readonly name: string;
}

export interface ModuleGroups {
  readonly placeOf: (module: string) => Place | undefined;
  /** The files, to be bundled beside the function. */
  readonly entries: Readonly<Record<string, string>>;
  readonly plugin: Plugin;
}

/** What a start loads at once; the measure of a bundle's start counts it. */
export const START_FILE = 'group-start';

/**
 * Puts modules into files by when they are needed: those of a first answer, those of a first call (both as
 * `npm run bench -- start-modules` has seen them), and the others by folder. A file is loaded by the first use of one
 * of its modules. A module in the wrong file costs a little time, nothing else.
 */
export const groupModules = (entry: string, sources: readonly Source[]): ModuleGroups => {
  const seen = filesSeen(entry);
  const alone = new Set(sources.filter(({ packages }) => packages.some(isLarge)).map(({ module }) => module));
  const modules = sources.map(({ module }) => module);
  const fileOf = (module: string): string => {
    const path = relative(root, module).replaceAll('\\', '/');
    const place = alone.has(module) ? path.replace(/\.ts$/, '') : `${dirname(path)}/all`;
    // Every file that uses a group names it, so long names add up.
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

/** What imports a package is in a file of its own: the others of its folder do not need the package. All have zod. */
const isLarge = (name: string): boolean => name !== 'zod' && !name.startsWith('node:');

type Seen = Readonly<Record<string, readonly string[]>>;

/** By module: the file of the first event that ran it. A function that was not looked at is taken for all of them. */
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

/** Asks the file of a module for it: `require` takes ES modules too, and does not wait. */
export const askFile = ({ file, name }: Place): string => `require('./${file}.mjs').${name}()`;
