import { randomBytes } from 'node:crypto';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { jsonLog } from '../../shared/adapters/files/json-log.ts';
import type { Assay } from '../../shared/assay.ts';
import { suggest } from '../../shared/kernel/did-you-mean.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { type Environment, readEnvironment } from '../compose/local-environment.ts';
import { type ApiClient, createClient } from './client.ts';
import { type Cli, type Command, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { createOutput } from './output.ts';

const common: ParseArgsOptionsConfig = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  url: { type: 'string' },
  key: { type: 'string' },
  data: { type: 'string' },
  tenant: { type: 'string' },
};

/** Runs one command: 0 done, 1 refused or failed, 2 typed wrong. */
export const main = async (argv: readonly string[]): Promise<number> => {
  const json = argv.includes('--json');
  const output = createOutput(json, process.stdout, process.stderr);
  let connection: Promise<Connection> | undefined;
  try {
    const [load, rest] = findCommand(argv);
    if (!load) {
      output.line(await help());
      return argv.length === 0 || argv.includes('--help') || argv.includes('-h') ? 0 : 2;
    }
    const command = await load();
    const { values, positionals } = parse(command, rest);
    if (values.help) {
      output.line(`assay ${command.usage}\n\n${command.summary}`);
      return 0;
    }
    const environment = readEnvironment(process.env);
    const connected = () => (connection ??= connect(environment, values));
    const api = async () => (await connected()).client;
    const local = async () => (await connected()).assay;
    return (await command.run({ environment, output, values, positionals, api, local } as Cli)) ?? 0;
  } catch (error) {
    return explain(error, json);
  } finally {
    await (await connection?.catch(() => undefined))?.client.close();
  }
};

type Load = (typeof commands)[string];

const findCommand = (argv: readonly string[]): [Load | undefined, readonly string[]] => {
  const [first = '', second = ''] = argv;
  const two = commands[`${first} ${second}`];
  if (two) return [two, argv.slice(2)];
  const one = commands[first];
  if (one) return [one, argv.slice(1)];
  if (first === '' || first.startsWith('-')) return [undefined, []];
  const names = Object.keys(commands);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length > 0)
    throw new UsageError(
      `assay ${first} needs one of: ${group.map((name) => name.slice(first.length + 1)).join(', ')}`,
    );
  throw new UsageError(`assay has no command ${first}${suggest(first, names)}`);
};

const parse = (command: Command, args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: { ...common, ...command.options },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nusage: assay ${command.usage}`);
  }
};

interface Connection {
  readonly client: ApiClient;
  readonly assay?: Assay;
}

const connect = async (environment: Environment, values: Readonly<Record<string, unknown>>): Promise<Connection> => {
  const tenant = typeof values.tenant === 'string' ? { tenant: values.tenant } : {};
  const url = typeof values.url === 'string' ? values.url : environment.ASSAY_URL;
  if (url !== undefined) {
    const key = typeof values.key === 'string' ? values.key : environment.ASSAY_KEY;
    if (key === undefined) throw new UsageError('--url needs --key, or the environment variable ASSAY_KEY');
    return { client: createClient({ send: (path, init) => fetch(new URL(path, url), init), key, ...tenant }) };
  }
  // A key of this process alone: whoever can read the data directory needs no other.
  const key = randomBytes(24).toString('base64url');
  const log = { ...jsonLog((text) => void process.stderr.write(text)), info: () => {} };
  const data = typeof values.data === 'string' ? values.data : environment.ASSAY_DATA;
  // Loaded only where the product itself runs in this process.
  const [{ createApp }, { localAssay }] = await Promise.all([
    import('../api/app.ts'),
    import('../compose/local-assay.ts'),
  ]);
  const assay = await localAssay({ environment, data, log, adminKey: key });
  const app = createApp(assay);
  const client = createClient({
    send: (path, init) => app.request(path, init),
    key,
    ...tenant,
    close: () => assay.close(),
  });
  return { client, assay };
};

const explain = (error: unknown, json: boolean): number => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  if (!(error instanceof Fault)) throw error;
  const { code, message, details } = error;
  process.stderr.write(json ? `${JSON.stringify({ error: { code, message, details } })}\n` : `${code}: ${message}\n`);
  return 1;
};

const help = async (): Promise<string> => {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  const rows = loaded.map(({ usage, summary }) => `  assay ${usage}\n      ${summary}`);
  return `Assay: a tool registry for AI agents that also measures pictures\n\n${rows.join('\n')}\n\nassay --version prints the version. All take --json, --data DIR, --url URL with --key KEY, --tenant NAME. Exit code: 0 done, 1 refused or failed, 2 typed wrong.`;
};
