import type { Confirmation } from '../../../shared/execute/confirmations.ts';
import type { Grant } from '../../../shared/execute/grants.ts';
import type { RunView } from '../../../shared/model/run.ts';
import { type Cli, type Command, option, required, textOption, UsageError } from '../command.ts';
import { answerNode, waitingNodes } from '../follow-run.ts';
import { formatTable, shortTime } from '../output.ts';

/** A confirmation: of a call, or of a node of a run. */
interface Question {
  readonly id: string;
  readonly state: string;
  readonly key: string;
  readonly tool: string;
  readonly version: string;
  readonly arguments?: unknown;
  readonly expires_at: string;
}

export const listConfirmationsCommand: Command = {
  usage: 'confirmations list',
  summary: 'Lists the calls and the nodes of runs that ask for consent',
  async run(cli) {
    const api = await cli.api();
    const [page, { runs }] = await Promise.all([
      api.json<{ confirmations: readonly Confirmation[] }>('GET', '/v1/confirmations?limit=1000'),
      api.json<{ runs: readonly RunView[] }>('GET', '/v1/runs?status=waiting&limit=100'),
    ]);
    const questions = [...page.confirmations, ...runs.flatMap(questionsOf)];
    cli.output.result({ confirmations: questions }, () =>
      questions.length === 0 ? 'nothing asks for consent' : questionTable(questions),
    );
    return 0;
  },
};

const questionsOf = (run: RunView): readonly Question[] =>
  waitingNodes(run).map(({ id, tool, version, approval }) => ({
    id: `${run.run_id}/${id}`,
    state: 'pending',
    key: '',
    tool,
    version,
    arguments: approval?.arguments,
    expires_at: approval?.expires_at ?? '',
  }));

const questionTable = (questions: readonly Question[]): string =>
  formatTable(questions, [
    { title: 'ID', value: ({ id }) => id },
    { title: 'STATE', value: ({ state }) => state },
    { title: 'KEY', value: ({ key }) => key },
    { title: 'TOOL', value: ({ tool, version }) => `${tool} ${version}` },
    { title: 'ARGUMENTS', value: (one) => JSON.stringify(one.arguments) ?? '' },
    { title: 'UNTIL', isWhole: true, value: ({ expires_at: until }) => shortTime(until) },
  ]);

const decide = async (cli: Cli, approve: boolean): Promise<number> => {
  const which = required(cli, 0, 'ID or TOKEN');
  const api = await cli.api();
  const [run, node] = which.split('/');
  if (run !== undefined && node !== undefined) return answerNode(cli, run, node, approve);
  const body = { ...(which.includes('.') ? { token: which } : { id: which }), approve };
  const decided = await api.json<Confirmation>('POST', '/v1/confirmations', body);
  cli.output.result(decided, () => `${decided.tool} ${decided.version} for ${decided.key}: ${decided.state}`);
  return 0;
};

export const approveCommand: Command = {
  usage: 'confirmations approve ID|TOKEN',
  summary: 'Consents to a call, which its key may then make once, or to a node of a run',
  takesUpRuns: true,
  run: (cli) => decide(cli, true),
};

export const refuseCommand: Command = {
  usage: 'confirmations refuse ID|TOKEN',
  summary: 'Refuses a call, or a node of a run',
  takesUpRuns: true,
  run: (cli) => decide(cli, false),
};

export const listGrantsCommand: Command = {
  usage: 'grants list',
  summary: 'Lists which keys may run which dangerous tools',
  async run(cli) {
    const page = await (await cli.api()).json<{ grants: readonly Grant[] }>('GET', '/v1/grants?limit=1000');
    cli.output.result(page, () =>
      page.grants.length === 0
        ? 'no grants: dangerous tools run for nobody'
        : formatTable(page.grants, [
            { title: 'KEY', value: ({ key_id: key }) => key },
            { title: 'TOOL', value: ({ tool, version }) => `${tool} ${version}` },
            { title: 'UNTIL', isWhole: true, value: ({ expires_at: until }) => shortTime(until) },
            { title: 'BY', value: ({ granted_by: by }) => by },
          ]),
    );
    return 0;
  },
};

const grantPath = (cli: Cli): string =>
  `/v1/grants/${encodeURIComponent(required(cli, 0, 'KEY_ID'))}/${encodeURIComponent(required(cli, 1, 'TOOL'))}`;

export const addGrantCommand: Command = {
  usage: 'grants add KEY_ID TOOL --expires 2030-01-01T00:00:00Z',
  summary: 'Lets one key run a dangerous tool, as it is defined now, until a time',
  options: { expires: option('TIME', 'when the grant ends, such as 2030-01-01T00:00:00Z') },
  async run(cli) {
    const expires = textOption(cli, 'expires');
    if (expires === undefined) throw new UsageError('--expires is missing: a grant ends');
    const grant = await (await cli.api()).json<Grant>('PUT', grantPath(cli), { expires_at: expires });
    cli.output.result(grant, () => `${grant.key_id} may run ${grant.tool} ${grant.version} until ${grant.expires_at}`);
    return 0;
  },
};

export const removeGrantCommand: Command = {
  usage: 'grants remove KEY_ID TOOL',
  summary: 'Ends a grant',
  async run(cli) {
    await (await cli.api()).json('DELETE', grantPath(cli));
    cli.output.result({ removed: true }, () => 'the grant has ended');
    return 0;
  },
};
