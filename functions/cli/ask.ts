import { createInterface } from 'node:readline/promises';
import type { Cli } from './command.ts';

/** Whether a person can answer at the terminal. */
export const canAsk = (cli: Cli): boolean =>
  !cli.output.json && process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks the person at the terminal to approve a call; any answer but yes is a no. */
export const askConsent = async (cli: Cli, what: string, args: unknown): Promise<boolean> => {
  const shown = cutText(JSON.stringify(args, undefined, 2));
  const head = cli.output.style('bold', `${what} needs your consent to run with`);
  return /^\s*y(es)?\s*$/i.test(await ask(`${head}\n${shown}\nRun it? [y/N] `));
};

const MOST_SHOWN = 2000;

/** Whoever approves is told how much they do not see. */
const cutText = (text: string): string =>
  text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}\n… ${text.length - MOST_SHOWN} more characters`;

export const ask = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
};
