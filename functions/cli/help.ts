import { styleText } from 'node:util';
import type { Command, Options } from './command.ts';
import { commands } from './commands.ts';
import { commonOptions, findCommand } from './find-command.ts';

/** Commands are grouped by their first word. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['Start', ['serve', 'open', 'login', 'logout', 'connect', 'mcp', 'completion']],
  ['Pictures', ['score', 'fit', 'verify', 'upload', 'iqa', 'models']],
  ['Tools', ['tools', 'invoke', 'convert', 'sources']],
  ['Decide and plan', ['decide', 'plan', 'run', 'runs']],
  ['Watch', ['executions', 'stats', 'recommend', 'events', 'usage']],
  ['Access', ['confirmations', 'grants', 'keys', 'tenants']],
];
const REST = 'Data';

const EXAMPLES = [
  'assay score photo.jpg --reference original.png',
  'assay invoke unit_convert value=5 from=mile to=km',
  'assay decide "how many words are in \\"one two\\"?"',
  'assay run --file plan.json',
];

const bold = (text: string): string => styleText('bold', text);

/** Every command on one line, by group. */
export const overview = async (): Promise<string> => {
  const loaded = await loadAll();
  const longest = Math.max(...loaded.map(([name]) => name.length));
  const row = ([name, { summary }]: Named): string => `  ${name.padEnd(longest)}  ${summary.split(/[;:]/)[0] ?? ''}`;
  const titles = [...GROUPS.map(([title]) => title), REST];
  const blocks = titles.flatMap((title) => {
    const rows = loaded.filter(([name]) => groupOf(name) === title).map(row);
    return rows.length === 0 ? [] : [`${bold(title)}\n${rows.join('\n')}`];
  });
  return [
    'Assay: a tool registry for AI agents that also measures pictures',
    ...blocks,
    `${bold('Examples')}\n${EXAMPLES.map((line) => `  ${line}`).join('\n')}`,
    `${bold('Every command takes')}\n${optionLines(commonOptions)}`,
    'assay help COMMAND says more of one; assay --version prints the version.\nExit code: 0 done, 1 refused or failed, 2 wrong usage.',
  ].join('\n\n');
};

/** Help for one command, or for a group such as `tools`. */
export const helpFor = async (words: readonly string[]): Promise<string> => {
  const loaded = await loadAll();
  const asked = words.join(' ');
  const exact = loaded.find(([name]) => name === asked) ?? loaded.find(([name]) => name === words[0]);
  if (exact) return commandHelp(exact[1]);
  const group = loaded.filter(([name]) => name.startsWith(`${words[0]} `));
  // The error names the unknown word and the nearest known one.
  if (group.length === 0) findCommand(words);
  return group.map(([, { usage, summary }]) => `${bold(`assay ${usage}`)}\n    ${summary}`).join('\n');
};

export const commandHelp = ({ usage, summary, options = {}, examples = [] }: Command): string =>
  [
    `${bold(`assay ${usage}`)}\n\n${summary}`,
    ...(examples.length === 0 ? [] : [`${bold('Examples')}\n${examples.map((line) => `  assay ${line}`).join('\n')}`]),
    ...(Object.keys(options).length === 0 ? [] : [`${bold('Options')}\n${optionLines(options)}`]),
    `${bold('As every command')}\n${optionLines(commonOptions)}`,
  ].join('\n\n');

const optionLines = (options: Options): string => {
  const heads = Object.entries(options).map(([name, { takes }]) =>
    takes === undefined ? `--${name}` : `--${name} ${takes}`,
  );
  const longest = Math.max(...heads.map(({ length }) => length));
  return Object.values(options)
    .map(({ about }, index) => `  ${heads[index]?.padEnd(longest)}  ${about}`)
    .join('\n');
};

type Named = readonly [string, Command];

export const loadAll = (): Promise<readonly Named[]> =>
  Promise.all(Object.entries(commands).map(async ([name, load]) => [name, await load()] as const));

const groupOf = (name: string): string => {
  const [word = ''] = name.split(' ');
  return GROUPS.find(([, words]) => words.includes(word))?.[0] ?? REST;
};
