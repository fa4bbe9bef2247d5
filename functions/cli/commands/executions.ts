import type { Recommendation } from '../../../shared/insight/recommend.ts';
import type { StatsView } from '../../../shared/insight/stats-view.ts';
import type { CallRecord } from '../../../shared/model/call-record.ts';
import { type Command, required, textOption } from '../command.ts';
import { formatTable } from '../output.ts';

export const executions: Command = {
  usage: 'executions [--tool T] [--status ok|failed|refused] [--since TIME] [--limit N]',
  summary: 'Lists what was called, newest first',
  options: {
    tool: { type: 'string' },
    status: { type: 'string' },
    since: { type: 'string' },
    limit: { type: 'string' },
  },
  async run(cli) {
    const query = new URLSearchParams({ limit: textOption(cli, 'limit') ?? '20' });
    for (const name of ['tool', 'status', 'since']) {
      const value = textOption(cli, name);
      if (value !== undefined) query.set(name, value);
    }
    const api = await cli.api();
    const page = await api.json<{ executions: readonly CallRecord[] }>('GET', `/v1/executions?${query}`);
    cli.output.result(page, () =>
      formatTable(page.executions, [
        { title: 'AT', value: ({ at }) => at },
        { title: 'TOOL', value: ({ tool, version }) => `${tool} ${version}` },
        { title: 'STATUS', value: ({ status }) => status },
        { title: 'MS', value: ({ duration_ms: ms }) => String(ms), right: true },
        { title: 'CPU', value: ({ cpu_ms: ms }) => String(ms), right: true },
        { title: 'KEY', value: ({ key }) => key },
        { title: 'ERROR', value: ({ error }) => (error ? `${error.type}: ${error.message}` : '') },
      ]),
    );
    return 0;
  },
};

export const stats: Command = {
  usage: 'stats TOOL [--version V|all]',
  summary: 'Shows how often a tool was called, how it went and how long it took',
  options: { version: { type: 'string' } },
  async run(cli) {
    const version = textOption(cli, 'version');
    const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
    const path = `/v1/tools/${encodeURIComponent(required(cli, 0, 'TOOL'))}/stats${query}`;
    const view = await (await cli.api()).json<StatsView>('GET', path);
    cli.output.result(view, () => {
      const rows = Object.entries(view).map(([name, value]) => ({ name, value: JSON.stringify(value) }));
      return formatTable(rows, [
        { title: 'WHAT', value: ({ name }) => name },
        { title: 'VALUE', value: ({ value }) => value },
      ]);
    });
    return 0;
  },
};

export const recommend: Command = {
  usage: 'recommend ["TASK"] [--limit N]',
  summary: 'Names the tools to prefer, and why',
  options: { limit: { type: 'string' } },
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
