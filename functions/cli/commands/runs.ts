import type { RunView } from '../../../shared/model/run.ts';
import { type Cli, type Command, flag, option, required, textOption, UsageError } from '../command.ts';
import { answerNode, followRun, getRun, runText, waitingNodes } from '../follow-run.ts';
import { formatTable, shortMs, shortTime } from '../output.ts';

export const listRunsCommand: Command = {
  usage: 'runs list [--status running|waiting|ok|failed|cancelled] [--limit N]',
  summary: 'Lists runs of plans, newest first',
  options: {
    status: option('STATUS', 'running, waiting, ok, failed or cancelled'),
    limit: option('N', 'at most this many'),
  },
  async run(cli) {
    const query = new URLSearchParams({ limit: textOption(cli, 'limit') ?? '20' });
    const status = textOption(cli, 'status');
    if (status !== undefined) query.set('status', status);
    const page = await (await cli.api()).json<{ runs: readonly RunView[] }>('GET', `/v1/runs?${query}`);
    cli.output.result(page, () => (page.runs.length === 0 ? 'no runs' : runTable(page.runs)));
    return 0;
  },
};

const TONES = { ok: 'green', failed: 'red', cancelled: 'red', running: 'yellow' } as const;

const runTable = (runs: readonly RunView[]): string =>
  formatTable(runs, [
    { title: 'RUN', value: ({ run_id: id }) => id },
    { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => TONES[status] },
    { title: 'STARTED', isWhole: true, value: ({ started_at: at }) => shortTime(at) },
    { title: 'MS', right: true, value: ({ duration_ms: ms }) => (ms === undefined ? '' : shortMs(ms)) },
    {
      title: 'DONE',
      right: true,
      value: ({ nodes }) => `${nodes.filter(({ status }) => status === 'ok').length}/${nodes.length}`,
    },
    {
      title: '',
      value: (run) => {
        const waiting = waitingNodes(run).map(({ id }) => id);
        return waiting.length > 0 ? `${waiting.join(', ')} waits for consent` : (run.error?.message ?? '');
      },
    },
  ]);

export const showRunCommand: Command = {
  usage: 'runs show RUN',
  summary: 'Shows a run with its nodes',
  async run(cli) {
    const view = await getRun(await cli.api(), required(cli, 0, 'RUN'));
    cli.output.result(view, () => runText(cli, view));
    return 0;
  },
};

export const watchRunCommand: Command = {
  usage: 'runs watch RUN [--yes]',
  summary: 'Follows a run to its end, and asks where it waits for consent; exit code 1 unless it ends well',
  options: { yes: flag('consents where a node asks') },
  takesUpRuns: true,
  async run(cli) {
    const api = await cli.api();
    return followRun(cli, api, await getRun(api, required(cli, 0, 'RUN')));
  },
};

const answer = async (cli: Cli, approve: boolean): Promise<number> => {
  const view = await getRun(await cli.api(), required(cli, 0, 'RUN'));
  return answerNode(cli, view.run_id, cli.positionals[1] ?? onlyWaiting(view), approve);
};

const onlyWaiting = (view: RunView): string => {
  const ids = waitingNodes(view).map(({ id }) => id);
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  throw new UsageError(
    ids.length === 0
      ? `no node of run ${view.run_id} waits for consent; the run is ${view.status}`
      : `several nodes wait for consent, name one: ${ids.join(', ')}`,
  );
};

export const approveRunCommand: Command = {
  usage: 'runs approve RUN [NODE]',
  summary: 'Lets the node that waits for consent run',
  options: { yes: flag('consents where a node asks') },
  takesUpRuns: true,
  run: (cli) => answer(cli, true),
};

export const denyRunCommand: Command = {
  usage: 'runs deny RUN [NODE]',
  summary: 'Refuses consent to a node that waits for it',
  options: { yes: flag('consents where a node asks') },
  takesUpRuns: true,
  run: (cli) => answer(cli, false),
};

export const cancelRunCommand: Command = {
  usage: 'runs cancel RUN',
  summary: 'Cancels a run: no further node starts',
  takesUpRuns: true,
  async run(cli) {
    const api = await cli.api();
    const view = await api.json<RunView>('DELETE', `/v1/runs/${encodeURIComponent(required(cli, 0, 'RUN'))}`);
    await followRun(cli, api, view);
    return 0;
  },
};
