import { writeFile } from 'node:fs/promises';
import { Fault } from '../../../shared/kernel/errors.ts';
import { isObject } from '../../../shared/kernel/json.ts';
import type { Outcome } from '../../../shared/model/call.ts';
import { askConsent, canAsk } from '../ask.ts';
import { type Cli, type Command, flag, option, required, textOption, wholeNumber } from '../command.ts';
import { fetchProperties, formatByName, parseValue, typedArguments } from '../typed-arguments.ts';

export const invoke: Command = {
  usage:
    'invoke TOOL [--arguments JSON] [name=value...] [name=@file...] [--version V] [--out FILE] [--yes] [--max-micros N] [--dry-run]',
  summary: 'Runs a tool; a terminal is asked before one that needs consent',
  examples: [
    'invoke unit_convert value=5 from=mile to=km',
    'invoke image_resize image=photo.jpg width=64 --out small.jpg',
    'invoke text_stats text=@letter.txt',
  ],
  options: {
    arguments: option('JSON', 'all arguments as one object'),
    version: option('V', 'this version instead of the default'),
    out: option('FILE', 'writes the picture it makes, in the format of the name'),
    yes: flag('consents to a tool that asks'),
    'max-micros': option('N', 'refuses a call that costs more micro-dollars'),
    'dry-run': flag('tells the price and runs nothing'),
  },
  takesUploads: true,
  async run(cli) {
    const name = required(cli, 0, 'TOOL');
    const version = textOption(cli, 'version');
    const given = textOption(cli, 'arguments');
    const out = textOption(cli, 'out');
    const pairs = cli.positionals.slice(1);
    const api = await cli.api();
    const properties = pairs.length > 0 || out !== undefined ? await fetchProperties(api, name, version) : {};
    const args = {
      ...(out !== undefined && formatByName(properties, out)),
      ...(given && parseArguments(given)),
      ...(await typedArguments(api, properties, pairs)),
    };
    const body = { arguments: args, version, max_micros: wholeNumber(cli, 'max-micros') };
    if (cli.values['dry-run'] === true) return tellPrice(cli, name, body);
    const outcome = await invokeAsking(cli, `/v1/tools/${encodeURIComponent(name)}/invoke`, body);
    if (out !== undefined && outcome.status === 'ok') return writePicture(cli, outcome, out);
    cli.output.result(outcome, () =>
      outcome.status === 'ok' ? formatOutput(outcome.output) : cli.output.prose(failureText(outcome)),
    );
    return outcome.status === 'ok' ? 0 : 1;
  },
};

/** An unknown picture key was perhaps meant as a file name. */
const failureText = ({ error }: Outcome): string =>
  `failed: ${error?.message.replace(
    /; upload it first by POST \/v1\/uploads$/,
    ', neither as a file here nor uploaded; assay upload FILE stores one',
  )}`;

/** Prints the price of a call without running it. */
const tellPrice = async (cli: Cli, name: string, body: object): Promise<number> => {
  const path = `/v1/tools/${encodeURIComponent(name)}/invoke`;
  const quote = await (await cli.api()).json<Readonly<Record<string, unknown>>>('POST', path, {
    ...body,
    dry_run: true,
  });
  cli.output.result(quote, () => formatOutput(quote));
  return 0;
};

/** Writes the picture of an output to a file and prints the rest. */
const writePicture = async (cli: Cli, outcome: Outcome, file: string): Promise<number> => {
  if (!isObject(outcome.output) || typeof outcome.output.base64 !== 'string')
    throw new Fault('InvalidInput', `${outcome.tool} makes no picture; leave --out out`, { tool: outcome.tool });
  const { base64, ...rest } = outcome.output;
  await writeFile(file, Buffer.from(base64, 'base64'));
  const about = { ...rest, file };
  cli.output.result({ ...outcome, output: about }, () => formatOutput(about));
  return 0;
};

/**
 * Calls the tool; if it needs consent and the person at the terminal approves, calls it again with the confirmation.
 */
const invokeAsking = async (cli: Cli, path: string, body: object): Promise<Outcome> => {
  const api = await cli.api();
  try {
    return await api.json<Outcome>('POST', path, body);
  } catch (thrown) {
    const token = thrown instanceof Fault ? readToken(thrown) : undefined;
    if (token === undefined || !(await consents(cli, thrown as Fault, body))) throw thrown;
    return api.json<Outcome>('POST', path, { ...body, confirmation: token });
  }
};

const readToken = ({ code, details }: Fault): string | undefined =>
  code === 'ConfirmationRequired' && isObject(details.confirmation) ? String(details.confirmation.token) : undefined;

const consents = async (cli: Cli, { details }: Fault, body: object): Promise<boolean> => {
  if (cli.values.yes === true) return true;
  return canAsk(cli) && askConsent(cli, String(details.tool), (body as { arguments: unknown }).arguments);
};

const formatOutput = (output: unknown): string =>
  typeof output === 'string' ? output : JSON.stringify(output, undefined, 2);

const parseArguments = (text: string): object => {
  const value = parseValue(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('InvalidInput', '--arguments must be a JSON object such as {"text": "hello"}', {
      field: 'arguments',
    });
  return value;
};
