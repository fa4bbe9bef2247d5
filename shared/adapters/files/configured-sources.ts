import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { type Configured, nothingConfigured, readConfigured } from '../../sources/configured.ts';
import { parseJsonFile } from './json-file.ts';

/** Reads the sources of a configuration file. `mcpServers` may be the path of a desktop client's own file. */
export const readConfiguredSources = async (configFile: string): Promise<Configured> => {
  const config = await readJson(configFile).catch(() => undefined);
  if (!isObject(config)) return nothingConfigured;
  const { mcpServers } = config;
  if (typeof mcpServers !== 'string') return readConfigured(config);
  const file = resolve(dirname(configFile), mcpServers);
  try {
    const desktop = await readJson(file);
    return readConfigured({ ...config, mcpServers: isObject(desktop) ? desktop.mcpServers : undefined });
  } catch (error) {
    const { problems, ...rest } = readConfigured({ ...config, mcpServers: undefined });
    return { ...rest, problems: [...problems, { name: mcpServers, reason: messageOf(error) }] };
  }
};

const readJson = async (file: string): Promise<unknown> => parseJsonFile(file, await readFile(file, 'utf8'));
