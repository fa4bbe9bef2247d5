import { spawn } from 'node:child_process';
import { Fault } from '../../../shared/kernel/errors.ts';
import type { KeyView } from '../../../shared/model/key.ts';
import { createClient } from '../client.ts';
import { type Cli, type Command, flag, option, textOption, UsageError } from '../command.ts';
import { reach, type Server, serverOf } from '../connect.ts';

const KEY_HOURS = 12;

export const open: Command = {
  usage: 'open [--port 8787] [--print]',
  summary: 'Opens the console of a server in the browser, signed in',
  options: {
    print: flag('prints the link instead of opening it'),
    port: option('N', 'the port of the server on this machine'),
  },
  async run(cli) {
    const server = (await serverOf(cli.environment, cli.values)) ?? (await localServer(cli));
    const link = `${server.url.replace(/\/$/, '')}/#key=${encodeURIComponent(server.key)}`;
    // On a machine without a browser the person can copy the link.
    const isOpened = cli.values.print !== true && cli.output.interactive && (await openBrowser(link));
    cli.output.result({ link }, () => (isOpened ? `opened ${server.url}` : link));
    return 0;
  },
};

/** The local server on this data directory, with a key that expires. */
const localServer = async (cli: Cli): Promise<Server> => {
  const url = `http://127.0.0.1:${textOption(cli, 'port') ?? '8787'}`;
  const expires_at = new Date(Date.now() + KEY_HOURS * 3_600_000).toISOString();
  const body = { name: 'console link', scopes: ['admin'], expires_at };
  const { key } = await (await cli.api()).json<KeyView & { key: string }>('POST', '/v1/keys', body);
  // The server may use another data directory, so check that it accepts this key.
  await createClient({ send: reach(url), key })
    .json('GET', '/v1/providers')
    .catch((thrown: unknown) => {
      if (!(thrown instanceof Fault) || thrown.code !== 'Unauthenticated') throw thrown;
      throw new UsageError(
        `the server at ${url} works on another data directory; name it with --data, or log in to it`,
      );
    });
  return { url, key };
};

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

const openBrowser = (link: string): Promise<boolean> =>
  new Promise((done) => {
    const opener = OPENERS[process.platform];
    if (opener === undefined) return done(false);
    const child = spawn(opener, [link], { stdio: 'ignore', detached: true });
    child.once('error', () => done(false));
    child.once('spawn', () => {
      child.unref();
      done(true);
    });
  });
