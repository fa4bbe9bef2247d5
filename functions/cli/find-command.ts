import { suggest } from '../../shared/kernel/did-you-mean.ts';
import { flag, type Options, option, UsageError } from './command.ts';
import { commands } from './commands.ts';

/** Options of every command, before or after its words. */
export const commonOptions: Options = {
  json: flag('prints the result as JSON'),
  data: option('DIR', 'the data directory; .assay unless given'),
  url: option('URL', 'works on a server instead'),
  key: option('KEY', 'the API key for that server'),
  profile: option('NAME', 'the server of an earlier assay login'),
  tenant: option('NAME', 'acts for another tenant, which needs admin'),
  verbose: flag('tells more of what happens'),
  log: option('FORMAT', 'json writes log lines for machines'),
  color: flag('colours, whatever the terminal; --no-color for none, as NO_COLOR'),
  help: { ...flag('prints this'), short: 'h' },
};

export interface Found {
  /** The words of the command; absent without any. */
  readonly name?: string;
  /** The arguments after them, including options that came before. */
  readonly rest: readonly string[];
}

/** Finds the command; an unknown one is a usage error with the nearest known one. */
export const findCommand = (argv: readonly string[]): Found => {
  const before = leadingOptions(argv);
  const words = argv.slice(before.length);
  const [first = '', second = ''] = words;
  if (first === '') return { rest: before };
  const names = Object.keys(commands);
  const name = [`${first} ${second}`, first].find((each) => names.includes(each));
  if (name !== undefined) return { name, rest: [...before, ...words.slice(name.split(' ').length)] };
  const group = names.filter((each) => each.startsWith(`${first} `)).map((each) => each.slice(first.length + 1));
  if (group.length === 0) throw new UsageError(`assay has no command ${first}${suggest(first, everyWord(names))}`);
  const hint = second === '' || second.startsWith('-') ? '' : `, not ${second}${suggest(second, group)}`;
  throw new UsageError(`assay ${first} needs one of: ${group.join(', ')}${hint}`);
};

/** All commands and groups of commands. */
const everyWord = (names: readonly string[]): ReadonlySet<string> =>
  new Set(names.flatMap((name) => [name.split(' ')[0] ?? '', name]));

const leadingOptions = (argv: readonly string[]): readonly string[] => {
  let at = 0;
  while (at < argv.length && argv[at]?.startsWith('-')) {
    const [name = ''] = (argv[at] ?? '').replace(/^--?/, '').split('=');
    const takesValue = commonOptions[name]?.type === 'string' && !argv[at]?.includes('=');
    at += takesValue ? 2 : 1;
  }
  return argv.slice(0, at);
};
