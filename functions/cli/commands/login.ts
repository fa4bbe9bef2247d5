import { ask, canAsk } from '../ask.ts';
import { createClient } from '../client.ts';
import { type Command, textOption, UsageError } from '../command.ts';
import { reach } from '../connect.ts';
import { type Profile, profilesFile, readProfiles, writeProfiles } from '../profiles.ts';

export const login: Command = {
  usage: 'login --url URL [--key KEY] [--profile NAME]',
  summary: 'Keeps a server’s address and key, so that commands go there from now on; without options, lists them',
  examples: ['login --url http://127.0.0.1:8787', 'tools list', 'logout'],
  async run(cli) {
    const url = textOption(cli, 'url');
    const file = profilesFile(cli.environment);
    const { current, profiles } = await readProfiles(file);
    const name = textOption(cli, 'profile') ?? 'default';
    if (url === undefined) {
      if (textOption(cli, 'profile') === undefined) return list(cli.output, current, profiles);
      if (!profiles[name]) throw new UsageError(`there is no profile ${name}; name its server with --url`);
      await writeProfiles(file, { current: name, profiles });
      cli.output.result({ profile: name }, () => `commands go to ${profiles[name]?.url} from now on`);
      return 0;
    }
    if (!URL.canParse(url)) throw new UsageError(`--url ${url} is not an address such as http://127.0.0.1:8787`);
    const key = textOption(cli, 'key') ?? cli.environment.ASSAY_KEY ?? (canAsk(cli) ? await ask('API key: ') : '');
    if (key === '') throw new UsageError('--key is missing; or set the environment variable ASSAY_KEY');
    // A key that the server refuses is not saved.
    await createClient({ send: reach(url), key }).json('GET', '/v1/providers');
    await writeProfiles(file, { current: name, profiles: { ...profiles, [name]: { url, key } } });
    cli.output.result({ profile: name, url, file }, () => `commands go to ${url} from now on; assay logout ends that`);
    return 0;
  },
};

const list = (
  output: Parameters<Command['run']>[0]['output'],
  current: string | undefined,
  profiles: Readonly<Record<string, Profile>>,
): number => {
  const names = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }));
  output.result({ profiles: names }, () =>
    names.length === 0
      ? 'logged in nowhere: commands work on the data directory; assay login --url URL'
      : names.map((each) => `${each.current ? '*' : ' '} ${each.name}  ${each.url}`).join('\n'),
  );
  return 0;
};

export const logout: Command = {
  usage: 'logout [--profile NAME]',
  summary: 'Forgets a server’s key; commands work on the data directory again',
  async run(cli) {
    const file = profilesFile(cli.environment);
    const { current, profiles } = await readProfiles(file);
    const name = textOption(cli, 'profile') ?? current ?? 'default';
    const { [name]: forgotten, ...rest } = profiles;
    await writeProfiles(file, { current: current === name ? undefined : current, profiles: rest });
    cli.output.result({ forgotten: forgotten ? name : null }, () =>
      forgotten ? `the key of ${forgotten.url} is forgotten` : 'logged in nowhere',
    );
    return 0;
  },
};
