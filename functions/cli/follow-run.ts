import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../shared/kernel/errors.ts';
import type { NodeView, RunView } from '../../shared/model/run.ts';
import { askConsent, canAsk } from './ask.ts';
import type { ApiClient } from './client.ts';
import type { Cli } from './command.ts';
import { formatTable } from './output.ts';

const POLL_MS = 100;

/**
 * Follows a run to its end, or to an approval that cannot be given here. In a terminal the table is updated in place
 * and the person is asked; `--yes` answers for them.
 */
export const followRun = async (cli: Cli, api: ApiClient, started: RunView): Promise<number> => {
  let view = started;
  const table = redrawn(cli);
  let isStill = false;
  while (view.status === 'running') {
    table.draw(view);
    const waiting = waitingNodes(view);
    const question = view.cancel_requested_at === undefined ? waiting[0] : undefined;
    if (question && (cli.values.yes === true || canAsk(cli))) {
      table.clear();
      view = await answer(cli, api, view, question);
      continue;
    }
    // Nodes that do not depend on the answer finish first.
    const isBusy = view.nodes.some(({ status }) => status === 'running');
    if (question && !isBusy && isStill) break;
    isStill = question !== undefined && !isBusy;
    await wait(POLL_MS);
    view = await getRun(api, view.run_id);
  }
  table.clear();
  cli.output.result(view, () => runText(cli, view));
  if (view.status === 'running')
    for (const { id, tool } of waitingNodes(view))
      cli.output.note(
        // Each on its own line, so that it can be copied.
        `${id} (${tool}) waits for consent; answer with one of\n  assay runs approve ${view.run_id} ${id}\n  assay runs deny ${view.run_id} ${id}`,
      );
  return view.status === 'ok' ? 0 : 1;
};

export const getRun = (api: ApiClient, id: string): Promise<RunView> =>
  api.json<RunView>('GET', `/v1/runs/${encodeURIComponent(id)}`);

export const waitingNodes = ({ nodes }: RunView): readonly NodeView[] =>
  nodes.filter(({ status }) => status === 'waiting_approval');

/** Answers a node's question. On a server the run continues by itself; in this process the command must finish it. */
export const answerNode = async (cli: Cli, run: string, node: string, approve: boolean): Promise<number> => {
  const api = await cli.api();
  const isHere = (await cli.local()) !== undefined;
  const view = await confirmNode(api, run, node, approve).catch((thrown) => {
    // The run may not have started yet: it will find the answer in the table.
    if (isHere) return decidedRun(api, run, node, approve, thrown);
    throw thrown;
  });
  if (isHere) return followRun(cli, api, view);
  cli.output.result(view, () => `${node} of run ${run} is ${approve ? 'approved' : 'denied'}`);
  return 0;
};

const decidedRun = async (
  api: ApiClient,
  run: string,
  node: string,
  approve: boolean,
  thrown: unknown,
): Promise<RunView> => {
  const view = await getRun(api, run);
  const decision = view.nodes.find(({ id }) => id === node)?.approval?.decision;
  if (decision === (approve ? 'approved' : 'denied')) return view;
  throw thrown;
};

const confirmNode = (api: ApiClient, run: string, node: string, approve: boolean): Promise<RunView> =>
  api.json<RunView>('POST', `/v1/runs/${encodeURIComponent(run)}/nodes/${encodeURIComponent(node)}/confirm`, {
    approve,
  });

const answer = async (cli: Cli, api: ApiClient, view: RunView, { id, tool, approval }: NodeView): Promise<RunView> => {
  const approve = cli.values.yes === true || (await askConsent(cli, `${id} (${tool})`, approval?.arguments ?? {}));
  try {
    return await confirmNode(api, view.run_id, id, approve);
  } catch (thrown) {
    // Somebody else answered first, and that answer stands.
    if (thrown instanceof Fault && thrown.code === 'Conflict') return getRun(api, view.run_id);
    throw thrown;
  }
};

/** In a terminal, a table that is redrawn in place. */
const redrawn = (cli: Cli): { draw(view: RunView): void; clear(): void } => {
  let lines = 0;
  const clear = (): void => {
    if (lines > 0) process.stdout.write(`\u001b[${lines}A\u001b[J`);
    lines = 0;
  };
  return {
    clear,
    draw(view) {
      if (!cli.output.interactive) return;
      clear();
      const text = runText(cli, view);
      process.stdout.write(`${text}\n`);
      lines = text.split('\n').length;
    },
  };
};

const TONES = { ok: 'green', failed: 'red', denied: 'red', aborted: 'red', waiting_approval: 'yellow' } as const;

export const runText = (cli: Cli, view: RunView): string =>
  `${formatTable(view.nodes, [
    { title: 'NODE', value: ({ id }) => id },
    { title: 'TOOL', value: ({ tool }) => tool },
    {
      title: 'STATUS',
      value: ({ status }) => status.replace('_', ' for '),
      style: ({ status }) => TONES[status as keyof typeof TONES],
    },
    { title: 'TRIES', right: true, value: ({ attempts }) => String(attempts.length) },
    { title: '', value: ({ attempts, reason }) => reason ?? attempts.at(-1)?.error?.message ?? '', width: 70 },
  ])}\n${cli.output.style('bold', `run ${view.run_id}`)} ${view.status}${view.error === undefined ? '' : `: ${view.error.message}`}`;
