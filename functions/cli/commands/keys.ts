import type { KeyView } from '../../../shared/model/key.ts';
import { type Cli, type Command, option, required, textOption, UsageError, wholeNumber } from '../command.ts';
import { formatTable, shortTime } from '../output.ts';

export const createKeyCommand: Command = {
  usage:
    'keys create [--scopes read,invoke] [--name N] [--tools a,b] [--calls N] [--micros N] [--rate 5/20] [--expires 2030-01-01T00:00:00Z]',
  summary: 'Makes an API key; its text is shown this once',
  examples: ['keys create --scopes read,invoke --name ci --calls 10000 --rate 5/20'],
  options: {
    scopes: option('LIST', 'read, invoke, write, approve, tenant_admin, admin; read,invoke unless given'),
    name: option('NAME', 'what people call it'),
    tools: option('LIST', 'the only tools it may see and run'),
    calls: option('N', 'how many calls it may make in a month'),
    micros: option('N', 'how many micro-dollars it may spend in a month'),
    rate: option('N/BURST', 'how many requests a second, and how many at once'),
    expires: option('TIME', 'until when it is valid, such as 2030-01-01T00:00:00Z'),
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
      quota: quotaOf(cli),
      rate: rateOf(cli),
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

const quotaOf = (cli: Cli) => {
  const [calls, micros] = [wholeNumber(cli, 'calls'), wholeNumber(cli, 'micros')];
  return calls === undefined && micros === undefined ? undefined : { calls, micros };
};

const rateOf = (cli: Cli) => {
  const text = textOption(cli, 'rate');
  if (text === undefined) return undefined;
  const [, second, burst] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(text) ?? [];
  if (second === undefined) throw new UsageError(`--rate ${text} is not of the form 5/20: a second, and at once`);
  return { per_second: Number(second), burst: Number(burst ?? Math.ceil(Number(second))) };
};

export const listKeysCommand: Command = {
  usage: 'keys list',
  summary: 'Lists API keys, without their text',
  async run(cli) {
    const { keys } = await (await cli.api()).json<{ keys: readonly KeyView[] }>('GET', '/v1/keys?limit=1000');
    cli.output.result({ keys }, () =>
      keys.length === 0
        ? 'no keys but the admin’s; make one with: assay keys create --scopes read,invoke'
        : formatTable(keys, [
            { title: 'ID', value: ({ id }) => id },
            { title: 'NAME', value: ({ name }) => name ?? '' },
            { title: 'SCOPES', value: ({ scopes }) => scopes.join(',') },
            {
              title: 'STATE',
              value: ({ revoked_at, expires_at }) =>
                revoked_at
                  ? `revoked ${shortTime(revoked_at)}`
                  : expires_at
                    ? `until ${shortTime(expires_at)}`
                    : 'active',
            },
            { title: 'CREATED', isWhole: true, value: ({ created_at }) => shortTime(created_at) },
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
