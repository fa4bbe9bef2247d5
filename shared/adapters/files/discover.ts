import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ToolSource, Trust } from '../../registry/load.ts';
import { parseJsonFile } from './json-file.ts';

export interface DiscoverOptions {
  /** The folder whose node_modules are searched. */
  readonly root: string;
  readonly configFile: string;
  /** Whether a missing configuration is an error: it was named by the operator. */
  readonly configRequired: boolean;
  readonly pluginsDir?: string;
  /** Loads the tools of a module in a separate process; in this one by default. */
  readonly load?: LoadTools;
}

export type LoadTools = (file: string) => Promise<readonly unknown[]>;

/** Finds configured tools, then packages that declare tools, then modules of the plugin folder. */
export const createDiscover = (options: DiscoverOptions): (() => Promise<readonly ToolSource[]>) => {
  let generation = 0;
  return async () => {
    const load = options.load ?? importAnew(++generation);
    const { sources, trust } = await readConfig(options);
    const packages = await readPackages(options.root, load, trust);
    const folder = options.pluginsDir;
    const modules = folder === undefined ? [] : await readPluginsDir(resolve(folder), load, trust);
    return [...sources, ...packages, ...modules];
  };
};

/** The operator's permissions for plugins, by package or by file; `off` prevents loading one. */
type PluginTrust = ReadonlyMap<string, Trust | 'off'>;

interface Config {
  readonly sources: readonly ToolSource[];
  readonly trust: PluginTrust;
}

const readConfig = async ({ configFile, configRequired }: DiscoverOptions): Promise<Config> => {
  const nothing: PluginTrust = new Map();
  const broken = (reason: string): ToolSource => ({ kind: 'broken', source: configFile, reason, plugin: false });
  try {
    const config = parseJsonFile(configFile, await readFile(configFile, 'utf8'));
    const definitions = Array.isArray(config)
      ? config
      : isObject(config)
        ? (config.tools ?? noTools(config))
        : undefined;
    const { trust, wrong } = readTrust(isObject(config) ? config.plugins : undefined);
    const sources: readonly ToolSource[] = Array.isArray(definitions)
      ? [{ kind: 'config', source: configFile, definitions }]
      : [broken(`${configFile} must be {"tools": [definitions]}`)];
    return { sources: [...sources, ...wrong.map(broken)], trust };
  } catch (error) {
    if (!isMissing(error)) return { sources: [broken(messageOf(error))], trust: nothing };
    return { sources: configRequired ? [broken(`${configFile} does not exist`)] : [], trust: nothing };
  }
};

const TRUST = ['trusted', 'distrusted', 'off'] as const;

// A word that is not understood is taken for distrust: a typing error must not let code run unattended.
const readTrust = (given: unknown): { readonly trust: PluginTrust; readonly wrong: readonly string[] } => {
  const entries = isObject(given) ? Object.entries(given) : [];
  const known = (word: unknown): Trust | 'off' | undefined => TRUST.find((each) => each === word);
  const wrong = entries.flatMap(([name, word]) =>
    known(word) ? [] : [`plugins.${name} must be "trusted", "distrusted" or "off"; it is taken as distrusted`],
  );
  if (given !== undefined && !isObject(given)) wrong.push('plugins must be {"package": "trusted"}');
  return { trust: new Map(entries.map(([name, word]) => [name, known(word) ?? 'distrusted'])), wrong };
};

/** A file that names sources needs no tools: it may be a desktop client's own. */
const noTools = (config: JsonObject): readonly unknown[] | undefined =>
  ['sources', 'mcpServers', 'functions', 'plugins'].some((key) => Object.hasOwn(config, key)) ? [] : undefined;

const readPackages = async (root: string, load: LoadTools, trust: PluginTrust): Promise<readonly ToolSource[]> => {
  const nodeModules = join(root, 'node_modules');
  const named = await namedPackages(root);
  const folders = (await listPackages(nodeModules))
    .filter((folder) => named?.has(folder) ?? true)
    .filter((folder) => trust.get(folder) !== 'off');
  const found = await Promise.all(folders.map((folder) => readPackage(join(nodeModules, folder), folder, load)));
  return found.flatMap((sources, index) => sources.map((source) => trusting(source, trust.get(folders[index] ?? ''))));
};

/**
 * The direct dependencies of the project: a transitive one must not add tools.
 * Undefined in a folder without a package.json, where there is no project to ask.
 */
const namedPackages = async (root: string): Promise<ReadonlySet<string> | undefined> => {
  const file = join(root, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const project = parseJsonFile(file, text);
  if (!isObject(project)) return new Set();
  const { dependencies, devDependencies, optionalDependencies } = project;
  return new Set([dependencies, devDependencies, optionalDependencies].flatMap((all) => Object.keys(all ?? {})));
};

const listPackages = async (nodeModules: string): Promise<readonly string[]> => {
  const names = (await namesIn(nodeModules)).filter((name) => !name.startsWith('.'));
  const lists = await Promise.all(
    names.map(async (name) =>
      name.startsWith('@') ? (await namesIn(join(nodeModules, name))).map((inner) => `${name}/${inner}`) : [name],
    ),
  );
  return lists.flat();
};

const readPackage = async (folder: string, name: string, load: LoadTools): Promise<readonly ToolSource[]> => {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  // Most packages declare nothing: parse only those that may.
  if (text === undefined || !text.includes('"assay"')) return [];
  const source = `package ${name}`;
  try {
    const declared = parseJsonFile(join(folder, 'package.json'), text);
    const tools = isObject(declared) && isObject(declared.assay) ? declared.assay.tools : undefined;
    if (tools === undefined) return [];
    if (typeof tools !== 'string') throw new Error('assay.tools in package.json must be the path of a module');
    return [await loadTools(join(folder, tools), source, load)];
  } catch (error) {
    return [{ kind: 'broken', source, reason: messageOf(error), plugin: true }];
  }
};

const trusting = (source: ToolSource, trust: Trust | 'off' | undefined): ToolSource =>
  source.kind === 'plugin' && trust !== undefined && trust !== 'off' ? { ...source, trust } : source;

const readPluginsDir = async (folder: string, load: LoadTools, trust: PluginTrust): Promise<readonly ToolSource[]> => {
  const exists = await stat(folder).catch(() => undefined);
  if (!exists?.isDirectory())
    return [{ kind: 'broken', source: folder, reason: `${folder} is not a folder`, plugin: true }];
  const files = (await namesIn(folder))
    .filter((name) => /\.(js|mjs|ts|mts)$/.test(name) && !name.endsWith('.d.ts'))
    .filter((name) => trust.get(name) !== 'off');
  return Promise.all(
    files.map(async (file) => trusting(await loadTools(join(folder, file), join(folder, file), load), trust.get(file))),
  );
};

/** A module that throws is a broken source, not an error. */
const loadTools = async (file: string, source: string, load: LoadTools): Promise<ToolSource> => {
  try {
    return { kind: 'plugin', source, tools: await load(file) };
  } catch (error) {
    return { kind: 'broken', source, reason: `does not load: ${messageOf(error)}`, plugin: true };
  }
};

/** Imports a module anew and takes its `tools`. */
const importAnew =
  (generation: number): LoadTools =>
  async (file) => {
    const module: unknown = await import(`${pathToFileURL(file).href}?generation=${generation}`);
    const tools = isObject(module) ? module.tools : undefined;
    if (!Array.isArray(tools)) throw new Error(`${file} must export an array named tools`);
    return tools;
  };

const namesIn = async (folder: string): Promise<readonly string[]> => (await readdir(folder).catch(() => [])).sort();

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
