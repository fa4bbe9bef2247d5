import { text as readStream } from 'node:stream/consumers';
import { parseJsonFile } from '../../../shared/adapters/files/json-file.ts';
import type { Registration, VersionRecord } from '../../../shared/model/registration.ts';
import type { LoadReport } from '../../../shared/registry/layer.ts';
import type { ApiClient } from '../client.ts';
import { type Cli, type Command, flag, option, required, textOption } from '../command.ts';
import { formatTable, shortTime } from '../output.ts';
import { readNamed } from '../read-file.ts';

interface ToolsPage {
  readonly tools: readonly Registration[];
  readonly next_cursor?: string;
}

const filters = ['q', 'tags', 'category', 'name_pattern', 'capability', 'type', 'distortion', 'allowed'] as const;

export const listTools: Command = {
  usage:
    'tools list [TEXT] [--tags a,b] [--category C] [--name-pattern P] [--capability F] [--type FR|NR] [--distortion D] [--all] [--report]',
  summary: 'Lists tools by name, or those that fit TEXT best',
  options: {
    tags: option('LIST', 'with all of these tags'),
    category: option('NAME', 'of this category'),
    'name-pattern': option('PATTERN', 'with such a name, such as image_*'),
    capability: option('NAME', 'that can do this'),
    type: option('FR|NR', 'metrics that compare, or that judge a picture alone'),
    distortion: option('NAME', 'metrics that are strong at it'),
    allowed: option('LIST', 'of these tools only'),
    limit: option('N', 'at most this many'),
    all: flag('with disabled tools'),
    report: flag('what was loaded at the start, and what was refused and why'),
  },
  async run(cli) {
    const api = await cli.api();
    if (cli.values.report) return showReport(cli, await api.json<LoadReport>('GET', '/v1/reload'));
    const query = new URLSearchParams();
    for (const name of filters) {
      const value = name === 'q' ? cli.positionals.join(' ') || undefined : textOption(cli, name.replace('_', '-'));
      if (value !== undefined) query.set(name, value);
    }
    if (cli.values.all) query.set('include_disabled', 'true');
    const tools = await fetchAll(
      api,
      query,
      Number(textOption(cli, 'limit') ?? (query.has('q') ? 20 : Number.POSITIVE_INFINITY)),
    );
    cli.output.result({ tools }, () => (tools.length === 0 ? 'no tools match' : toolTable(tools)));
    return 0;
  },
};

const fetchAll = async (api: ApiClient, query: URLSearchParams, most: number): Promise<readonly Registration[]> => {
  const tools: Registration[] = [];
  do {
    query.set('limit', String(Math.min(1000, most - tools.length)));
    const page = await api.json<ToolsPage>('GET', `/v1/tools?${query}`);
    tools.push(...page.tools);
    if (page.next_cursor === undefined) break;
    query.set('cursor', page.next_cursor);
  } while (tools.length < most);
  return tools;
};

const toolTable = (tools: readonly Registration[]): string =>
  formatTable(tools, [
    { title: 'NAME', value: ({ spec }) => spec.name },
    { title: 'VERSION', value: ({ default_version }) => default_version, width: 16 },
    {
      title: 'STATE',
      value: ({ enabled, deprecated }) => (!enabled ? 'disabled' : deprecated ? 'deprecated' : 'enabled'),
    },
    { title: 'CATEGORY', value: ({ spec }) => spec.category ?? '', width: 20 },
    { title: 'DESCRIPTION', value: ({ spec }) => spec.description ?? '', width: 70 },
  ]);

const showReport = (cli: Cli, report: LoadReport): number => {
  cli.output.result(report, () =>
    [
      `${report.registered.length} registered`,
      ...report.refused.map(({ source, name, reason }) => `refused  ${source} ${name}: ${reason}`),
      ...report.skipped.map(({ source, name, reason }) => `skipped  ${source} ${name}: ${reason}`),
    ].join('\n'),
  );
  return 0;
};

export const showTool: Command = {
  usage: 'tools show NAME [--version V]',
  summary: 'Shows everything about one tool',
  options: { version: option('V', 'this version instead of the default') },
  async run(cli) {
    const tool = await getTool(cli);
    cli.output.result(tool, () => JSON.stringify(tool, undefined, 2));
    return 0;
  },
};

export const toolSchema: Command = {
  usage: 'tools schema NAME [--version V]',
  summary: 'Prints the JSON Schema of a tool’s parameters',
  options: { version: option('V', 'this version instead of the default') },
  async run(cli) {
    const { spec } = await getTool(cli);
    cli.output.result(spec.parameters, () => JSON.stringify(spec.parameters, undefined, 2));
    return 0;
  },
};

const getTool = async (cli: Cli): Promise<Registration> => {
  const version = textOption(cli, 'version');
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  return (await cli.api()).json('GET', `${toolPath(cli)}${query}`);
};

export const registerTools: Command = {
  usage: 'tools register FILE|- [--make-default]',
  summary: 'Registers the definition, or the list of definitions, in a JSON file or from standard input',
  options: { 'make-default': flag('makes the version the default, also if a higher one exists') },
  async run(cli) {
    const file = required(cli, 0, 'FILE (or - for standard input)');
    const text = file === '-' ? await readStream(process.stdin) : (await readNamed(file)).toString('utf8');
    const content = parseJsonFile(file, text);
    const api = await cli.api();
    const definitions: readonly object[] = Array.isArray(content) ? content : [content];
    const isDefault = cli.values['make-default'] === true;
    const done: Registration[] = [];
    for (const definition of definitions)
      done.push(await api.json('POST', '/v1/tools', isDefault ? { ...definition, make_default: true } : definition));
    cli.output.result(Array.isArray(content) ? done : done[0], () => done.map(registeredText).join('\n'));
    return 0;
  },
};

const registeredText = ({ id, digest, warnings = [] }: Registration): string =>
  [`registered ${id}  ${digest.slice(0, 12)}`, ...warnings.map((warning) => `  warning: ${warning}`)].join('\n');

const switchTool = (enabled: boolean): Command => ({
  usage: `tools ${enabled ? 'enable' : 'disable'} NAME`,
  summary: enabled ? 'Makes a tool available again' : 'Takes a tool out of lists and calls, keeping it registered',
  async run(cli) {
    const tool = await (await cli.api()).json<Registration>('PATCH', toolPath(cli), { enabled });
    cli.output.result(tool, () => `${tool.spec.name} is ${tool.enabled ? 'enabled' : 'disabled'}`);
    return 0;
  },
});
export const enableTool = switchTool(true);
export const disableTool = switchTool(false);

export const removeTool: Command = {
  usage: 'tools remove NAME[@VERSION]',
  summary: 'Removes a tool, or one version of it',
  async run(cli) {
    await (await cli.api()).json('DELETE', toolPath(cli));
    cli.output.result({ removed: cli.positionals[0] }, () => `removed ${cli.positionals[0]}`);
    return 0;
  },
};

export const toolVersions: Command = {
  usage: 'tools versions NAME',
  summary: 'Lists the versions of a tool, the default marked',
  async run(cli) {
    const found = await (await cli.api()).json<{ versions: readonly VersionRecord[]; default_version: string }>(
      'GET',
      `${toolPath(cli)}/versions`,
    );
    cli.output.result(found, () =>
      formatTable(found.versions, [
        { title: 'VERSION', value: ({ version }) => version },
        {
          title: '',
          value: ({ version, deprecated }) =>
            [version === found.default_version ? 'default' : '', deprecated ? 'deprecated' : ''].join(' ').trim(),
        },
        {
          title: 'REGISTERED',
          value: ({ created_at }) => (created_at === undefined ? 'shipped' : shortTime(created_at)),
        },
        { title: 'DIGEST', value: ({ digest }) => digest.slice(0, 12) },
      ]),
    );
    return 0;
  },
};

const toolPath = (cli: Cli): string => `/v1/tools/${encodeURIComponent(required(cli, 0, 'NAME'))}`;
