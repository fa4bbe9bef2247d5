import type { KeyView } from '../../../shared/model/key.ts';
import { type Command, required, textOption } from '../command.ts';
import { formatTable } from '../output.ts';

export const createKeyCommand: Command = {
  usage: 'keys create --scopes read,invoke [--name N] [--tools a,b] [--expires 2030-01-01T00:00:00Z]',
  summary: 'Makes a key and shows its text this once',
  options: {
    scopes: { type: 'string' },
    name: { type: 'string' },
    tools: { type: 'string' },
    expires: { type: 'string' },
  },
  async run(cli) {
    const list = (name: string) =>
      textOption(cli, name)
        ?.split(',')
        .map((word) => word.trim());
    const body = {
      scopes: list('scopes') ?? ['read', 'invoke'],
      name: textOption(cli, 'name'),
      tools: list('tools'),
      expires_at: textOption(cli, 'expires'),
    };
    const made = await (await cli.api()).json<KeyView & { key: string }>('POST', '/v1/keys', body);
    cli.output.result(
      made,
      () => `${made.key}\nid ${made.id}, scopes ${made.scopes.join(', ')}; this text is not shown again`,
    );
    return 0;
  },
};

export const listKeysCommand: Command = {
  usage: 'keys list',
  summary: 'Lists keys',
  async run(cli) {
    const { keys } = await (await cli.api()).json<{ keys: readonly KeyView[] }>('GET', '/v1/keys?limit=1000');
    cli.output.result({ keys }, () =>
      formatTable(keys, [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name ?? '' },
        { title: 'SCOPES', value: ({ scopes }) => scopes.join(',') },
        { title: 'CREATED', value: ({ created_at }) => created_at },
        {
          title: 'STATE',
          value: ({ revoked_at, expires_at }) =>
            revoked_at ? `revoked ${revoked_at}` : expires_at ? `until ${expires_at}` : 'active',
        },
      ]),
    );
    return 0;
  },
};

export const revokeKeyCommand: Command = {
  usage: 'keys revoke ID',
  summary: 'Revokes a key for good',
  async run(cli) {
    const id = required(cli, 0, 'ID');
    await (await cli.api()).json('DELETE', `/v1/keys/${encodeURIComponent(id)}`);
    cli.output.result({ revoked: id }, () => `revoked ${id}`);
    return 0;
  },
};
