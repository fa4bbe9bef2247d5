import * as z from 'zod';
import { Fault } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { invalidInput } from '../kernel/zod-fault.ts';
import { TenantName } from '../model/key.ts';
import { NewSource, SourceName } from '../model/source.ts';

/** A command that only the operator's configuration may name. */
const Command = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
});

const Headers = z.record(z.string(), z.string());

/** A source of the configuration: the fields of a request, and a tenant, headers, or a command to start. */
const ConfiguredSource = NewSource.extend({
  tenant: TenantName.default('default'),
  headers: Headers.optional(),
  ...Command.partial().shape,
});

const settings = NewSource.omit({ name: true, kind: true, url: true, alias: true }).shape;

/** A server as in the files of desktop clients; other fields belong to the client and are ignored. */
const McpServer = z.object({
  ...Command.partial().shape,
  url: NewSource.shape.url,
  serverUrl: NewSource.shape.url,
  headers: Headers.optional(),
  disabled: z.boolean().optional(),
  tenant: TenantName.default('default'),
  ...settings,
});

/** A function of the operator's, bound to a tenant: requests refer to it by alias, never by name or ARN. */
export const ConfiguredFunction = z.strictObject({
  alias: z.string().min(1).max(64),
  tenant: TenantName.default('default'),
  /** The function's name or ARN. */
  function: z.string().min(1).max(2048),
  tools: z.array(
    z.strictObject({
      name: z.string().min(1).max(256),
      title: z.string().optional(),
      description: z.string().min(1),
      parameters: z.record(z.string(), z.unknown()),
      output_schema: z.record(z.string(), z.unknown()).optional(),
      annotations: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
export type ConfiguredFunction = Readonly<z.infer<typeof ConfiguredFunction>>;

export interface Configured {
  readonly sources: readonly OperatorSource[];
  readonly functions: readonly ConfiguredFunction[];
  readonly problems: readonly { readonly name: string; readonly reason: string }[];
}

export interface OperatorSource {
  readonly tenant: string;
  readonly source: NewSource;
  /** Kept in memory, never stored. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly command?: Readonly<z.infer<typeof Command>> | undefined;
}

export const nothingConfigured: Configured = { sources: [], functions: [], problems: [] };

/**
 * Reads `sources`, `mcpServers` and `functions` of a configuration; invalid entries are reported and the rest is read.
 */
export const readConfigured = (config: unknown): Configured => {
  if (!isObject(config)) return nothingConfigured;
  const problems: { name: string; reason: string }[] = [];
  const sources: OperatorSource[] = [];
  const functions: ConfiguredFunction[] = [];
  const attempt = (name: string, read: () => void): void => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push({ name, reason: error.message });
    }
  };
  const add = (one: OperatorSource): void => {
    const isTaken = sources.some(({ tenant, source }) => tenant === one.tenant && source.name === one.source.name);
    if (isTaken) throw new Fault('Conflict', `${one.source.name} is configured twice; the first one is used`);
    sources.push(one);
  };
  for (const [index, given] of listOf(config.sources).entries())
    attempt(nameOf(given, `sources[${index}]`), () => add(readSource(given)));
  for (const [name, given] of Object.entries(isObject(config.mcpServers) ? config.mcpServers : {}))
    attempt(name, () => {
      const server = readServer(name, given);
      if (server) add(server);
    });
  for (const [index, given] of listOf(config.functions).entries())
    attempt(nameOf(given, `functions[${index}]`), () => functions.push(parse(ConfiguredFunction, given)));
  return { sources, functions, problems };
};

const readSource = (given: unknown): OperatorSource => {
  const { tenant, headers, command, args, env, cwd, ...source } = parse(ConfiguredSource, given);
  const isReachable =
    command === undefined ? source.url !== undefined || source.alias !== undefined : source.kind === 'mcp';
  if (!isReachable)
    throw new Fault('InvalidInput', `the source ${source.name} needs a url, an alias, or a command (mcp)`);
  return { tenant, source, headers, command: command === undefined ? undefined : { command, args, env, cwd } };
};

const readServer = (name: string, given: unknown): OperatorSource | undefined => {
  const { tenant, headers, command, args, env, cwd, url, serverUrl, disabled, ...more } = parse(McpServer, given);
  if (disabled) return undefined;
  // Desktop clients allow any name.
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 31);
  const source: NewSource = { ...more, name: parse(SourceName, plain), kind: 'mcp', url: url ?? serverUrl };
  if (source.url === undefined && command === undefined)
    throw new Fault('InvalidInput', `the server ${name} needs a url or a command`);
  return { tenant, source, headers, command: command === undefined ? undefined : { command, args, env, cwd } };
};

const parse = <T>(schema: z.ZodType<T>, given: unknown): T => {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error, given, 'the configuration');
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const nameOf = (given: unknown, otherwise: string): string => {
  const name = isObject(given) ? (given.name ?? given.alias) : undefined;
  return typeof name === 'string' ? name : otherwise;
};
