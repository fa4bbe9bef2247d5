import { Fault } from '../../../shared/errors.ts';
import type { Outcome } from '../../../shared/model/call.ts';
import { type Command, required, textOption, UsageError } from '../command.ts';

export const invoke: Command = {
  usage: 'invoke TOOL [--arguments JSON] [name=value...] [--version V]',
  summary: 'Runs a tool; a value that is JSON is taken as such, else as text',
  options: { arguments: { type: 'string' }, version: { type: 'string' } },
  async run(cli) {
    const name = required(cli, 0, 'TOOL');
    const version = textOption(cli, 'version');
    const given = textOption(cli, 'arguments');
    const args = { ...(given === undefined ? {} : parseArguments(given)), ...parsePairs(cli.positionals.slice(1)) };
    const body = { arguments: args, ...(version === undefined ? {} : { version }) };
    const outcome = await (await cli.api()).json<Outcome>('POST', `/v1/tools/${encodeURIComponent(name)}/invoke`, body);
    cli.output.result(outcome, () =>
      outcome.status === 'ok' ? textOf(outcome.output) : `failed: ${outcome.error?.message}`,
    );
    return outcome.status === 'ok' ? 0 : 1;
  },
};

const textOf = (output: unknown): string =>
  typeof output === 'string' ? output : JSON.stringify(output, undefined, 2);

const parseArguments = (text: string): object => {
  const value = parseValue(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('InvalidInput', '--arguments must be a JSON object such as {"text": "hello"}', {
      field: 'arguments',
    });
  return value;
};

const parsePairs = (pairs: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is not of the form name=value`);
      return [pair.slice(0, at), parseValue(pair.slice(at + 1))];
    }),
  );

const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
