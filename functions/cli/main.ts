import { parseArgs } from 'node:util';
import { suggest } from '../../shared/kernel/did-you-mean.ts';
import { Fault, messageOf } from '../../shared/kernel/errors.ts';
import { readEnvironment } from '../compose/local-environment.ts';
import { type Cli, type Command, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { type Connection, connect } from './connect.ts';
import { commonOptions, type Found, findCommand } from './find-command.ts';
import { type CliLog, cliLog } from './log.ts';
import { createOutput } from './output.ts';
import { terminalWidth, wrap } from './wrap.ts';

type Values = Cli['values'];

/** Runs one command. Exit codes: 0 success, 1 refused or failed, 2 wrong usage. */
export const main = async (argv: readonly string[]): Promise<number> => {
  let connection: Promise<Connection> | undefined;
  let log: CliLog | undefined;
  try {
    const { name, rest }: Found = argv[0] === 'help' ? { rest: argv.slice(1) } : findCommand(argv);
    const command = name === undefined ? undefined : await commands[name]?.();
    const { values, positionals } = parse(command, rest);
    paint(values);
    for (const stream of [process.stdout, process.stderr]) outliveReader(stream);
    const output = createOutput(values.json === true, process.stdout, process.stderr);
    if (!command || values.help === true)
      return await showHelp((text) => output.line(output.prose(text)), argv, command);
    const environment = readEnvironment(process.env);
    log = logOf(values);
    const context = { environment, values, log, command };
    const connected = () => (connection ??= connect(context));
    const api = async () => (await connected()).client;
    const local = async () => (await connected()).assay;
    return (await command.run({ environment, output, log, values, positionals, api, local })) ?? 0;
  } catch (error) {
    return explain(error, argv);
  } finally {
    await (await connection?.catch(() => undefined))?.client.close();
    log?.flush();
  }
};

const parse = (command: Command | undefined, args: readonly string[]): { values: Values; positionals: string[] } => {
  const options = { ...commonOptions, ...command?.options };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    const unknown = /Unknown option '(--?[^']*)'/.exec((error as Error).message)?.[1];
    const message =
      unknown === undefined
        ? (error as Error).message
        : `there is no option ${unknown}${suggest(
            unknown,
            Object.keys(options).map((name) => `--${name}`),
          )}`;
    throw new UsageError(command === undefined ? message : `${message}\nusage: assay ${command.usage}`);
  }
};

/** Ignores a closed output pipe: `assay tools list | head -3` is not an error, and a server keeps running. */
const outliveReader = (stream: NodeJS.WriteStream): void => {
  if (stream.listenerCount('error') > 0) return;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
};

// Read by Node itself: NO_COLOR, FORCE_COLOR and whether it is a terminal.
const paint = ({ color }: Values): void => {
  if (color === undefined) return;
  delete process.env.NO_COLOR;
  delete process.env.FORCE_COLOR;
  process.env[color === true ? 'FORCE_COLOR' : 'NO_COLOR'] = '1';
};

const logOf = ({ log, verbose }: Values): CliLog => {
  if (log !== undefined && log !== 'json' && log !== 'lines')
    throw new UsageError(`--log ${String(log)} is not known; give json or lines`);
  return cliLog({
    format: log === 'json' ? 'json' : 'lines',
    isVerbose: verbose === true,
    write: (text) => void process.stderr.write(text),
    width: terminalWidth(process.stderr),
  });
};

const showHelp = async (
  say: (text: string) => void,
  argv: readonly string[],
  command: Command | undefined,
): Promise<number> => {
  // Loads every command, so it is imported only on request.
  const { commandHelp, helpFor, overview } = await import('./help.ts');
  const words = argv.filter((word) => !word.startsWith('-')).slice(argv[0] === 'help' ? 1 : 0);
  if (command) say(commandHelp(command));
  else say(words.length > 0 ? await helpFor(words) : await overview());
  return 0;
};

const say = (text: string): void => {
  process.stderr.write(`${wrap(text, terminalWidth(process.stderr))}\n`);
};

const explain = (error: unknown, argv: readonly string[]): number => {
  const isJson = argv.includes('--json');
  if (error instanceof UsageError) {
    say(error.message);
    return 2;
  }
  const { code, message, details } =
    error instanceof Fault ? error : { code: 'Internal', message: messageOf(error), details: {} };
  if (isJson) process.stderr.write(`${JSON.stringify({ error: { code, message, details } })}\n`);
  else say(`${code}: ${message}`);
  if (argv.includes('--verbose')) process.stderr.write(`${(error as Error).stack}\n`);
  else if (!(error instanceof Fault)) say('this is unexpected; --verbose shows where it happened');
  return 1;
};
