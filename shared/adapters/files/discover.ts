import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { ToolSource } from '../../registry/load.ts';
import { parseJsonFile } from './json-file.ts';

export interface DiscoverOptions {
  /** The folder whose node_modules are searched. */
  readonly root: string;
  readonly configFile: string;
  /** Whether a missing configuration is an error: it was named by the operator. */
  readonly configRequired: boolean;
  readonly pluginsDir?: string;
  /** Loads the tools of a module apart from this process; in it unless given. */
  readonly load?: LoadTools;
}

export type LoadTools = (file: string) => Promise<readonly unknown[]>;

/** Finds configured tools, then packages that declare tools, then modules of the plugin folder. */
export const createDiscover = (options: DiscoverOptions): (() => Promise<readonly ToolSource[]>) => {
  let generation = 0;
  return async () => {
    const load = options.load ?? importAnew(++generation);
    const config = await readConfig(options);
    const packages = await readPackages(options.root, load);
    const modules = options.pluginsDir === undefined ? [] : await readPluginsDir(resolve(options.pluginsDir), load);
    return [...config, ...packages, ...modules];
  };
};

const readConfig = async ({ configFile, configRequired }: DiscoverOptions): Promise<readonly ToolSource[]> => {
  const broken = (reason: string): ToolSource => ({ kind: 'broken', source: configFile, reason, plugin: false });
  try {
    const config = parseJsonFile(configFile, await readFile(configFile, 'utf8'));
    const definitions = Array.isArray(config)
      ? config
      : isObject(config)
        ? (config.tools ?? noTools(config))
        : undefined;
    if (!Array.isArray(definitions)) return [broken(`${configFile} must be {"tools": [definitions]}`)];
    return [{ kind: 'config', source: configFile, definitions }];
  } catch (error) {
    if (isMissing(error)) return configRequired ? [broken(`${configFile} does not exist`)] : [];
    return [broken(messageOf(error))];
  }
};

/** A file that names sources needs no tools: it may be a desktop client's own. */
const noTools = (config: JsonObject): readonly unknown[] | undefined =>
  ['sources', 'mcpServers', 'functions'].some((key) => Object.hasOwn(config, key)) ? [] : undefined;

const readPackages = async (root: string, load: LoadTools): Promise<readonly ToolSource[]> => {
  const nodeModules = join(root, 'node_modules');
  const named = await namedPackages(root);
  const folders = (await listPackages(nodeModules)).filter((folder) => named?.has(folder) ?? true);
  const found = await Promise.all(folders.map((folder) => readPackage(join(nodeModules, folder), folder, load)));
  return found.flat();
};

/**
 * The packages that the project itself asks for: one that only came along with another must not bring tools in.
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

const readPluginsDir = async (folder: string, load: LoadTools): Promise<readonly ToolSource[]> => {
  const exists = await stat(folder).catch(() => undefined);
  if (!exists?.isDirectory())
    return [{ kind: 'broken', source: folder, reason: `${folder} is not a folder`, plugin: true }];
  const files = (await namesIn(folder)).filter((name) => /\.(js|mjs|ts|mts)$/.test(name) && !name.endsWith('.d.ts'));
  return Promise.all(files.map((file) => loadTools(join(folder, file), join(folder, file), load)));
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
