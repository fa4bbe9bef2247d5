import type { Assay } from '../../shared/assay.ts';
import type { Environment } from '../compose/local-environment.ts';
import type { ApiClient } from './client.ts';
import type { CliLog } from './log.ts';
import type { Output } from './output.ts';

/** What a command works with. */
export interface Cli {
  readonly environment: Environment;
  readonly output: Output;
  readonly log: CliLog;
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
  /** The API, in this process on the data directory, or at `--url`. */
  api(): Promise<ApiClient>;
  /** The product in this process, for what the API does not offer; undefined with `--url`. */
  local(): Promise<Assay | undefined>;
}

/** An option: what it takes, unless it is a flag, and what its help says. */
interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly takes?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

export const option = (takes: string, about: string): Option => ({ type: 'string', takes, about });

export const flag = (about: string): Option => ({ type: 'boolean', about });

/** One command. It returns the exit code, or nothing for 0. */
export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly options?: Options;
  /** Example commands, without `assay`. */
  readonly examples?: readonly string[];
  /** In this process, continues runs of a crashed process. */
  readonly takesUpRuns?: boolean;
  /** Accepts uploads, also in this process. */
  readonly takesUploads?: boolean;
  run(cli: Cli): Promise<number | undefined>;
}

/** Wrong usage of a command: exit code 2. */
export class UsageError extends Error {}

export const textOption = (cli: Cli, name: string): string | undefined => {
  const value = cli.values[name];
  return typeof value === 'string' ? value : undefined;
};

export const wholeNumber = (cli: Cli, option: string): number | undefined => {
  const text = textOption(cli, option);
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${option} ${text} is not a whole number`);
};

/** A required positional argument; without it, a usage error that says what it is. */
export const required = (cli: Cli, index: number, what: string): string => {
  const value = cli.positionals[index];
  if (value === undefined) throw new UsageError(`${what} is missing; --help shows what the command takes`);
  return value;
};
