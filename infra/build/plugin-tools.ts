import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Edit } from './lazy-modules.ts';

/** A bundle cannot search folders at run time, so the tools found now are written to a generated file of imports. */
export const bundledTools =
  (folder: string): Edit =>
  async (path, text) =>
    /[/\\]functions[/\\]compose[/\\]bundled-tools\.ts$/.test(path)
      ? writeImports(await findSources(folder), await configuredSources(folder))
      : text;

/** Where tools come from: definitions of the configuration, or a module that exports them. */
type Source =
  | { readonly source: string; readonly definitions: readonly unknown[] }
  | { readonly source: string; readonly module: string; readonly name: string; readonly trust?: string }
  | { readonly source: string; readonly broken: string; readonly plugin: boolean };

/** Configured tools, then packages that declare tools, then modules of the plugin folder. */
const findSources = async (folder: string): Promise<readonly Source[]> => {
  const config = await configuration(folder);
  const trust = await pluginTrust(folder);
  const modules = [...(await packages(join(folder, 'node_modules'))), ...(await pluginFolder(folder))]
    .map((source) => ('module' in source ? { ...source, trust: trust[source.name] } : source))
    .filter((source) => !('trust' in source) || source.trust !== 'off');
  return [...config, ...(await Promise.all(modules.map(checked)))];
};

/** The sources of the configuration. A desktop client's file has commands, which cannot run in Lambda. */
const configuredSources = async (folder: string): Promise<unknown> => {
  const text = await readFile(join(folder, process.env.ASSAY_CONFIG ?? 'assay.config.json'), 'utf8').catch(() => '{}');
  try {
    const { sources, mcpServers, functions } = JSON.parse(text) as Record<string, unknown>;
    return { sources, mcpServers, functions };
  } catch {
    return {};
  }
};

/** The configured trust in plugins; an unknown value means distrust. */
const pluginTrust = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const text = await readFile(join(folder, process.env.ASSAY_CONFIG ?? 'assay.config.json'), 'utf8').catch(() => '{}');
  try {
    const { plugins } = JSON.parse(text) as { plugins?: Record<string, unknown> };
    const words = ['trusted', 'distrusted', 'off'];
    return Object.fromEntries(
      Object.entries(plugins ?? {}).map(([name, word]) => [
        name,
        words.includes(String(word)) ? String(word) : 'distrusted',
      ]),
    );
  } catch {
    return {};
  }
};

const configuration = async (folder: string): Promise<readonly Source[]> => {
  const named = process.env.ASSAY_CONFIG;
  const source = named ?? 'assay.config.json';
  const text = await readFile(join(folder, source), 'utf8').catch(() => undefined);
  if (text === undefined)
    return named === undefined ? [] : [{ source, broken: `${source} does not exist`, plugin: false }];
  try {
    const config: unknown = JSON.parse(text);
    const definitions = Array.isArray(config) ? config : toolsOf(config);
    if (Array.isArray(definitions)) return [{ source, definitions }];
    if (definitions === undefined && namesSources(config)) return [];
    return [{ source, broken: `${source} must be {"tools": [definitions]}`, plugin: false }];
  } catch (error) {
    return [{ source, broken: `${source} is not valid JSON: ${(error as Error).message}`, plugin: false }];
  }
};

/** A configuration with sources or plugins need not have tools. */
const toolsOf = (config: unknown): unknown => {
  if (typeof config !== 'object' || config === null) return undefined;
  const others = ['sources', 'mcpServers', 'functions', 'plugins'];
  return Reflect.get(config, 'tools') ?? (others.some((key) => Object.hasOwn(config, key)) ? [] : undefined);
};

const namesSources = (config: unknown): boolean =>
  typeof config === 'object' && config !== null && ['sources', 'mcpServers', 'functions'].some((key) => key in config);

const packages = async (nodeModules: string): Promise<readonly Source[]> => {
  const found: Source[] = [];
  for (const name of await packageNames(nodeModules)) {
    const text = await readFile(join(nodeModules, name, 'package.json'), 'utf8').catch(() => '');
    if (!text.includes('"assay"')) continue;
    const { assay } = JSON.parse(text) as { assay?: { tools?: unknown } };
    if (typeof assay?.tools !== 'string') continue;
    found.push({ source: `package ${name}`, name, module: join(nodeModules, name, assay.tools) });
  }
  return found;
};

const packageNames = async (nodeModules: string): Promise<readonly string[]> => {
  const names = (await namesIn(nodeModules)).filter((name) => !name.startsWith('.'));
  const lists = names.map(async (name) =>
    name.startsWith('@') ? (await namesIn(join(nodeModules, name))).map((inner) => `${name}/${inner}`) : [name],
  );
  return (await Promise.all(lists)).flat();
};

const pluginFolder = async (folder: string): Promise<readonly Source[]> => {
  const named = process.env.ASSAY_PLUGINS_DIR;
  if (named === undefined) return [];
  const plugins = join(folder, named);
  if (!existsSync(plugins)) return [{ source: named, broken: `${named} is not a folder`, plugin: true }];
  const files = (await namesIn(plugins)).filter((name) => /\.(js|mjs|ts|mts)$/.test(name) && !name.endsWith('.d.ts'));
  return files.map((file) => ({ source: join(named, file), name: file, module: join(plugins, file) }));
};

/** A module that cannot be bundled must not prevent bundling the others. */
const checked = async (source: Source): Promise<Source> => {
  if (!('module' in source)) return source;
  try {
    await build({
      entryPoints: [source.module],
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    return source;
  } catch (error) {
    return { source: source.source, broken: `does not load: ${(error as Error).message}`, plugin: true };
  }
};

const writeImports = (sources: readonly Source[], config: unknown): string => `
export const bundledConfig = () => (${JSON.stringify(config)});
const load = async (source, trust, open) => {
  try {
    const { tools } = await open();
    if (!Array.isArray(tools)) throw new Error(source + ' must export an array named tools');
    return { kind: 'plugin', source, tools, trust };
  } catch (error) {
    return { kind: 'broken', source, reason: 'does not load: ' + (error instanceof Error ? error.message : error), plugin: true };
  }
};
export const bundledTools = () => Promise.all([
${sources.map((source) => `  ${writeSource(source)},`).join('\n')}
]);
`;

const writeSource = (from: Source): string => {
  const source = JSON.stringify(from.source);
  if ('module' in from)
    return `load(${source}, ${JSON.stringify(from.trust) ?? 'undefined'}, () => import(${JSON.stringify(from.module)}))`;
  if ('broken' in from)
    return `{ kind: 'broken', source: ${source}, reason: ${JSON.stringify(from.broken)}, plugin: ${from.plugin} }`;
  return `{ kind: 'config', source: ${source}, definitions: ${JSON.stringify(from.definitions)} }`;
};

const namesIn = async (folder: string): Promise<readonly string[]> => (await readdir(folder).catch(() => [])).sort();
