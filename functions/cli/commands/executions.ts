import type { Recommendation } from '../../../shared/insight/recommend.ts';
import type { StatsView } from '../../../shared/insight/stats-view.ts';
import type { CallRecord } from '../../../shared/model/call-record.ts';
import { type Command, option, required, textOption } from '../command.ts';
import { keyNames } from '../key-names.ts';
import { formatTable, shortMs, shortTime } from '../output.ts';

export const executions: Command = {
  usage: 'executions [--tool T] [--status ok|failed|refused] [--since TIME] [--limit N]',
  summary: 'Lists what was called, newest first',
  options: {
    tool: option('TOOL', 'only calls of this tool'),
    status: option('STATUS', 'ok, failed or refused'),
    since: option('TIME', 'only calls since then, such as 2026-11-01T00:00:00Z'),
    limit: option('N', 'at most this many'),
  },
  async run(cli) {
    const query = new URLSearchParams({ limit: textOption(cli, 'limit') ?? '20' });
    for (const name of ['tool', 'status', 'since']) {
      const value = textOption(cli, name);
      if (value !== undefined) query.set(name, value);
    }
    const api = await cli.api();
    const page = await api.json<{ executions: readonly CallRecord[] }>('GET', `/v1/executions?${query}`);
    const nameOf = cli.output.json ? String : await keyNames(api);
    cli.output.result(page, () => (page.executions.length === 0 ? 'no calls' : callTable(page.executions, nameOf)));
    return 0;
  },
};

const TONES: Readonly<Partial<Record<CallRecord['status'], 'green' | 'red' | 'yellow'>>> = {
  ok: 'green',
  failed: 'red',
  refused: 'yellow',
};

const callTable = (calls: readonly CallRecord[], nameOf: (id: string) => string): string =>
  formatTable(calls, [
    { title: 'AT', isWhole: true, value: ({ at }) => shortTime(at) },
    { title: 'TOOL', value: ({ tool, version }) => (version === 'operation' ? tool : `${tool} ${version}`) },
    { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => TONES[status] },
    { title: 'MS', value: ({ duration_ms: ms }) => shortMs(ms), right: true },
    { title: 'CPU', value: ({ cpu_ms: ms }) => shortMs(ms), right: true },
    { title: 'KEY', value: ({ key }) => nameOf(key) },
    { title: 'ERROR', value: ({ error }) => (error ? `${error.type}: ${error.message}` : '') },
  ]);

export const stats: Command = {
  usage: 'stats TOOL [--version V|all]',
  summary: 'Shows how often a tool was called, how it went and how long it took',
  options: { version: option('V|all', 'of this version, or of all of them') },
  async run(cli) {
    const version = textOption(cli, 'version');
    const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
    const path = `/v1/tools/${encodeURIComponent(required(cli, 0, 'TOOL'))}/stats${query}`;
    const view = await (await cli.api()).json<StatsView>('GET', path);
    cli.output.result(view, () => statsText(view));
    return 0;
  },
};

const statsText = (view: StatsView): string => {
  const { tool, version, calls, successes, refused, cached, last_at: last } = view;
  const failed = Object.entries(view.failures_by_type).map(([type, count]) => `${count} ${type}`);
  if (calls === 0 && refused === 0) return `${tool} ${version} has not been called`;
  const ms = (value: number | null): string => (value === null ? '' : `${shortMs(value)} ms`);
  const rows: readonly (readonly [string, string])[] = [
    ['calls', `${calls}, ${cached} of them from the cache`],
    ['succeeded', view.success_rate === null ? '' : `${successes} (${Math.round(view.success_rate * 100)} %)`],
    ['failed', failed.join(', ')],
    ['refused', refused === 0 ? '' : String(refused)],
    ['mean', ms(view.mean_ms)],
    ['half within', ms(view.p50_ms)],
    ['95 % within', ms(view.p95_ms)],
    ['99 % within', ms(view.p99_ms)],
    ['last', last === undefined ? '' : shortTime(last)],
  ];
  const told = rows.filter(([, value]) => value !== '').map(([name, value]) => `  ${name.padEnd(11)}  ${value}`);
  return [`${tool} ${version}`, ...told].join('\n');
};

export const recommend: Command = {
  usage: 'recommend ["TASK"] [--limit N]',
  summary: 'Names the tools to prefer, and why',
  options: { limit: option('N', 'at most this many') },
  async run(cli) {
    const query = new URLSearchParams({ limit: textOption(cli, 'limit') ?? '10' });
    if (cli.positionals.length > 0) query.set('task', cli.positionals.join(' '));
    const api = await cli.api();
    const found = await api.json<{ recommendations: readonly Recommendation[] }>('GET', `/v1/recommendations?${query}`);
    cli.output.result(found, () =>
      formatTable(found.recommendations, [
        { title: 'TOOL', value: ({ tool, version }) => `${tool} ${version}` },
        { title: 'SCORE', value: ({ score }) => score.toFixed(3), right: true },
        { title: 'WHY', value: ({ why }) => why.join('; '), width: 100 },
      ]),
    );
    return 0;
  },
};
