import type { Approved } from '../../../shared/sources/approve.ts';
import type { SourceView } from '../../../shared/sources/view.ts';
import { type Cli, type Command, flag, option, required, textOption, UsageError } from '../command.ts';
import { formatTable, shortTime } from '../output.ts';

export const addSourceCommand: Command = {
  usage:
    'sources add NAME ADDRESS | --alias FUNCTION [--kind mcp|openapi|lambda] [--prefix P] [--allowed a,b] [--permission safe|confirm|dangerous] [--trust-read-only] [--price MICROS] [--policy review|auto] [--refresh-minutes N] [--account]',
  summary: 'Adds the tools of an MCP server, an API or a function',
  options: {
    kind: option('KIND', 'mcp, openapi or lambda'),
    alias: option('FUNCTION', 'a function that the configuration gives to the tenant'),
    prefix: option('TEXT', 'what names of its tools begin with; NAME unless given'),
    allowed: option('LIST', 'only these of its tools'),
    permission: option('P', 'safe, confirm or dangerous; confirm unless given'),
    'trust-read-only': flag('tools it calls read-only run without asking'),
    price: option('MICROS', 'micro-dollars a call'),
    policy: option('POLICY', 'review: changes wait for approval; auto: additions do not'),
    'refresh-minutes': option('N', 'how often its tools are listed; 60 unless given'),
    account: flag('every caller uses an own account there'),
  },
  async run(cli) {
    const name = required(cli, 0, 'NAME');
    const alias = textOption(cli, 'alias');
    const body = {
      name,
      kind: textOption(cli, 'kind') ?? (alias === undefined ? 'mcp' : 'lambda'),
      url: cli.positionals[1],
      alias,
      prefix: textOption(cli, 'prefix'),
      allowed: textOption(cli, 'allowed')?.split(','),
      permission: textOption(cli, 'permission'),
      trust_read_only: cli.values['trust-read-only'] === true ? true : undefined,
      price_micros: numberOption(cli, 'price'),
      policy: textOption(cli, 'policy'),
      refresh_minutes: numberOption(cli, 'refresh-minutes'),
      secret: cli.values.account === true ? { type: 'account' } : undefined,
    };
    return show(cli, await (await cli.api()).json<SourceView>('POST', '/v1/sources', body));
  },
};

export const connectSourceCommand: Command = {
  usage: 'sources connect NAME',
  summary: 'Prints the link that connects your own account at a source',
  async run(cli) {
    const answer = await (await cli.api()).json<{ connected: boolean; url?: string }>(
      'POST',
      `${sourcePath(cli)}/account`,
    );
    cli.output.result(answer, () => answer.url ?? 'your account is connected');
    return 0;
  },
};

export const listSourcesCommand: Command = {
  usage: 'sources list',
  summary: 'Lists sources with their state',
  async run(cli) {
    const answer = await (await cli.api()).json<{ sources: readonly SourceView[] }>('GET', '/v1/sources');
    cli.output.result(answer, () =>
      answer.sources.length === 0
        ? 'no sources; add one with: assay sources add NAME ADDRESS'
        : formatTable(answer.sources, [
            { title: 'NAME', value: ({ name }) => name },
            { title: 'KIND', value: ({ kind }) => kind },
            { title: 'STATUS', value: ({ status }) => status },
            { title: 'TOOLS', value: ({ tools }) => String(tools), right: true },
            { title: 'DRIFT', value: ({ drift }) => String(drift.length), right: true },
            {
              title: 'REFRESHED',
              isWhole: true,
              value: ({ refreshed_at: at }) => (at === undefined ? 'never' : shortTime(at)),
            },
            { title: 'ERROR', value: ({ error }) => error ?? '' },
          ]),
    );
    return 0;
  },
};

export const showSourceCommand: Command = {
  usage: 'sources show NAME',
  summary: 'Shows a source with what has changed and what is wrong',
  run: async (cli) => show(cli, await (await cli.api()).json<SourceView>('GET', sourcePath(cli))),
};

export const refreshSourceCommand: Command = {
  usage: 'sources refresh NAME',
  summary: 'Reads a source’s tools again, now',
  run: async (cli) => show(cli, await (await cli.api()).json<SourceView>('POST', `${sourcePath(cli)}/refresh`)),
};

export const approveSourceCommand: Command = {
  usage: 'sources approve NAME [TOOL|TOOL@VERSION...]',
  summary: 'Approves what a source has now: the tools named, or all that wait',
  async run(cli) {
    const tools = cli.positionals.slice(1);
    const body = { tools: tools.length > 0 ? tools : undefined };
    const answer = await (await cli.api()).json<{ approved: readonly Approved[] }>(
      'POST',
      `${sourcePath(cli)}/approve`,
      body,
    );
    const lines = answer.approved.map(({ tool, version }) => `approved ${tool} ${version}`);
    cli.output.result(answer, () => lines.join('\n') || 'nothing waits for approval');
    return 0;
  },
};

export const removeSourceCommand: Command = {
  usage: 'sources remove NAME',
  summary: 'Removes a source and its tools; the records of its calls stay',
  async run(cli) {
    await (await cli.api()).json('DELETE', sourcePath(cli));
    cli.output.result({ removed: cli.positionals[0] }, () => `removed ${cli.positionals[0]}`);
    return 0;
  },
};

const sourcePath = (cli: Cli): string => `/v1/sources/${encodeURIComponent(required(cli, 0, 'NAME'))}`;

const numberOption = (cli: Cli, name: string): number | undefined => {
  const text = textOption(cli, name);
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--${name} ${text} is not a whole number`);
};

/** Exit code 1 for a failed source, so that scripts notice. */
const show = (cli: Cli, source: SourceView): number => {
  cli.output.result(source, () => cli.output.prose(describe(source)));
  return source.status === 'failing' ? 1 : 0;
};

const describe = ({ name, kind, status, tools, drift, problems = [], error, refreshed_at: at }: SourceView): string =>
  [
    `${name} (${kind}): ${status}, ${tools} tools, refreshed ${at === undefined ? 'never' : shortTime(at)}`,
    ...(error === undefined ? [] : [`  error: ${error}`]),
    ...problems.map(({ tool, reason }) => `  problem: ${tool}${tool === '' ? '' : ': '}${reason}`),
    ...drift.map(({ tool, from, to, change }) => `  drift: ${tool} ${from ?? 'new'} -> ${to ?? 'gone'} (${change})`),
    ...(drift.some(({ to }) => to !== null) ? [`  approve with: assay sources approve ${name}`] : []),
  ].join('\n');
