import type { Confirmation } from '../../../shared/execute/confirmations.ts';
import type { Grant } from '../../../shared/execute/grants.ts';
import { type Cli, type Command, required, textOption, UsageError } from '../command.ts';
import { formatTable } from '../output.ts';

export const listConfirmationsCommand: Command = {
  usage: 'confirmations list',
  summary: 'Lists the calls that ask for consent',
  async run(cli) {
    const api = await cli.api();
    const page = await api.json<{ confirmations: readonly Confirmation[] }>('GET', '/v1/confirmations?limit=1000');
    cli.output.result(page, () =>
      formatTable(page.confirmations, [
        { title: 'ID', value: ({ id }) => id },
        { title: 'STATE', value: ({ state }) => state },
        { title: 'KEY', value: ({ key }) => key },
        { title: 'TOOL', value: ({ tool, version }) => `${tool} ${version}` },
        { title: 'ARGUMENTS', value: (one) => JSON.stringify(one.arguments) },
        { title: 'UNTIL', value: ({ expires_at: until }) => until },
      ]),
    );
    return 0;
  },
};

const decide = async (cli: Cli, approve: boolean): Promise<number> => {
  const which = required(cli, 0, 'ID or TOKEN');
  const body = { ...(which.includes('.') ? { token: which } : { id: which }), approve };
  const decided = await (await cli.api()).json<Confirmation>('POST', '/v1/confirmations', body);
  cli.output.result(decided, () => `${decided.tool} ${decided.version} for ${decided.key}: ${decided.state}`);
  return 0;
};

export const approveCommand: Command = {
  usage: 'confirmations approve ID|TOKEN',
  summary: 'Consents to a call; its key may then make it once',
  run: (cli) => decide(cli, true),
};

export const refuseCommand: Command = {
  usage: 'confirmations refuse ID|TOKEN',
  summary: 'Refuses a call',
  run: (cli) => decide(cli, false),
};

export const listGrantsCommand: Command = {
  usage: 'grants list',
  summary: 'Lists which keys may run which dangerous tools',
  async run(cli) {
    const page = await (await cli.api()).json<{ grants: readonly Grant[] }>('GET', '/v1/grants?limit=1000');
    cli.output.result(page, () =>
      formatTable(page.grants, [
        { title: 'KEY', value: ({ key_id: key }) => key },
        { title: 'TOOL', value: ({ tool, version }) => `${tool} ${version}` },
        { title: 'UNTIL', value: ({ expires_at: until }) => until },
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
  options: { expires: { type: 'string' } },
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
  summary: 'Takes a grant back',
  async run(cli) {
    await (await cli.api()).json('DELETE', grantPath(cli));
    cli.output.result({ removed: true }, () => 'taken back');
    return 0;
  },
};
