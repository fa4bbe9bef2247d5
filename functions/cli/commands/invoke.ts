import { createInterface } from 'node:readline/promises';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Outcome } from '../../../shared/model/call.ts';
import type { Registration } from '../../../shared/model/registration.ts';
import type { ApiClient } from '../client.ts';
import { type Cli, type Command, required, textOption, UsageError } from '../command.ts';

export const invoke: Command = {
  usage: 'invoke TOOL [--arguments JSON] [name=value...] [--version V] [--yes]',
  summary: 'Runs a tool; asks before one that needs consent, unless --yes gives it',
  options: { arguments: { type: 'string' }, version: { type: 'string' }, yes: { type: 'boolean' } },
  async run(cli) {
    const name = required(cli, 0, 'TOOL');
    const api = await cli.api();
    const version = textOption(cli, 'version');
    const given = textOption(cli, 'arguments');
    const pairs = splitPairs(cli.positionals.slice(1));
    const isText = pairs.length === 0 ? () => false : await textParameters(api, name, version);
    const args = {
      ...(given === undefined ? {} : parseArguments(given)),
      ...Object.fromEntries(pairs.map(([key, value]) => [key, isText(key) ? value : parseValue(value)])),
    };
    const body = { arguments: args, version };
    const outcome = await invokeAsking(cli, `/v1/tools/${encodeURIComponent(name)}/invoke`, body);
    cli.output.result(outcome, () =>
      outcome.status === 'ok' ? textOf(outcome.output) : `failed: ${outcome.error?.message}`,
    );
    return outcome.status === 'ok' ? 0 : 1;
  },
};

/** Calls, and calls again with the confirmation when the person at the terminal consents. */
const invokeAsking = async (cli: Cli, path: string, body: object): Promise<Outcome> => {
  const api = await cli.api();
  try {
    return await api.json<Outcome>('POST', path, body);
  } catch (thrown) {
    const token = thrown instanceof Fault ? tokenOf(thrown) : undefined;
    if (token === undefined || !(await consents(cli, thrown as Fault, body))) throw thrown;
    return api.json<Outcome>('POST', path, { ...body, confirmation: token });
  }
};

const tokenOf = ({ code, details }: Fault): string | undefined =>
  code === 'ConfirmationRequired' && isObject(details.confirmation) ? String(details.confirmation.token) : undefined;

const consents = async (cli: Cli, { details }: Fault, body: object): Promise<boolean> => {
  if (cli.values.yes === true) return true;
  if (cli.output.json || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const shown = JSON.stringify((body as { arguments: unknown }).arguments, undefined, 2).slice(0, 2000);
    const answer = await terminal.question(`${details.tool} needs your consent to run with\n${shown}\nRun it? [y/N] `);
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    terminal.close();
  }
};

/** Which parameters take text, so that a value for them is not read as JSON. */
const textParameters = async (
  api: ApiClient,
  name: string,
  version: string | undefined,
): Promise<(key: string) => boolean> => {
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`;
  const tool = await api.json<Registration>('GET', `/v1/tools/${encodeURIComponent(name)}${query}`);
  const { properties } = tool.spec.parameters;
  return (key) => isObject(properties) && isObject(properties[key]) && properties[key].type === 'string';
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

const splitPairs = (pairs: readonly string[]): readonly (readonly [string, string])[] =>
  pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is not of the form name=value`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });

const parseValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
