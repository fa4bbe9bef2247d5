import { CONNECT_CLIENTS, isConnectClient } from '../../../shared/connect/clients.ts';
import { type ConnectGuide, type ConnectTarget, connectLines } from '../../../shared/connect/connect-lines.ts';
import { suggest } from '../../../shared/kernel/did-you-mean.ts';
import type { KeyView } from '../../../shared/model/key.ts';
import { type Cli, type Command, option, textOption, UsageError } from '../command.ts';
import { serverOf } from '../connect.ts';

export const connect: Command = {
  usage: 'connect CLIENT [--url URL --key KEY] [--port 8787]',
  summary:
    'Prints the lines that connect a client to the registry; without --url to this machine’s server, with a new key that may read and invoke',
  examples: ['connect claude-code', 'connect cursor --url https://assay.example.com --key ak_...'],
  options: { port: option('N', 'the port of the server on this machine') },
  async run(cli) {
    const [client] = cli.positionals;
    if (client === undefined) {
      const clients = Object.entries(CONNECT_CLIENTS).map(([name, title]) => ({ name, title }));
      cli.output.result({ clients }, () =>
        [
          ...clients.map(({ name, title }) => `${name.padEnd(16)}${title}`),
          '',
          'assay connect cursor prints what to paste for one of them.',
        ].join('\n'),
      );
      return 0;
    }
    if (!isConnectClient(client))
      throw new UsageError(
        `connect knows no client ${client}${suggest(client, Object.keys(CONNECT_CLIENTS)) || `, only ${Object.keys(CONNECT_CLIENTS).join(', ')}`}`,
      );
    const target = (await serverOf(cli.environment, cli.values)) ?? (await localTarget(cli, client));
    const guide = connectLines(client, target);
    cli.output.result(guide, () => formatGuide(guide));
    return 0;
  },
};

/**
 * The local server on this data directory. Its key has no scope to approve, so the client cannot approve its own calls.
 */
const localTarget = async (cli: Cli, client: string): Promise<ConnectTarget> => {
  const url = `http://127.0.0.1:${textOption(cli, 'port') ?? '8787'}`;
  const body = { name: client, scopes: ['read', 'invoke'] };
  const { key } = await (await cli.api()).json<KeyView & { key: string }>('POST', '/v1/keys', body);
  return { url, key };
};

const formatGuide = ({ title, steps, note }: ConnectGuide): string =>
  [
    title,
    ...steps.map(({ about, file, text }) => `${file === undefined ? about : `${file}: ${about}`}\n\n${text}`),
    ...(note === undefined ? [] : [note]),
  ].join('\n\n');
