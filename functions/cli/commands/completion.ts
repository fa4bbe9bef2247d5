import { type Command, required, UsageError } from '../command.ts';
import { commonOptions } from '../find-command.ts';
import { loadAll } from '../help.ts';

/** What can be completed: subcommands by the words before, and options by command. */
interface Grammar {
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly options: Readonly<Record<string, readonly string[]>>;
}

export const completion: Command = {
  usage: 'completion bash|zsh|fish',
  summary: 'Prints a script that completes commands and options in a shell',
  examples: ['completion bash >> ~/.bashrc', 'completion zsh > ~/.zfunc/_assay', 'completion fish | source'],
  async run(cli) {
    const shell = required(cli, 0, 'the shell (bash, zsh or fish)');
    const write = shells[shell];
    if (!write) throw new UsageError(`there is no completion for ${shell}; there is for bash, zsh and fish`);
    cli.output.line(write(await grammar()));
    return 0;
  },
};

const grammar = async (): Promise<Grammar> => {
  const words: Record<string, string[]> = { '': [] };
  const options: Record<string, readonly string[]> = {};
  for (const [name, command] of await loadAll()) {
    const [first = '', second] = name.split(' ');
    if (!words['']?.includes(first)) words['']?.push(first);
    if (second !== undefined) words[first] = [...(words[first] ?? []), second];
    options[name] = Object.keys({ ...command.options, ...commonOptions }).map((option) => `--${option}`);
  }
  return { words, options };
};

const bash = ({ words, options }: Grammar): string => `_assay() {
  local word="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" list=""
  case "$first $second" in
${Object.entries(options)
  .map(([name, each]) => `    ${name.includes(' ') ? `"${name}"` : `"${name} "*`}) list="${each.join(' ')}" ;;`)
  .join('\n')}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then list="${words['']?.join(' ')}"
  elif [[ $COMP_CWORD -eq 2 && "$word" != -* ]]; then
    case "$first" in
${Object.entries(words)
  .filter(([first]) => first !== '')
  .map(([first, each]) => `      ${first}) list="${each.join(' ')}" ;;`)
  .join('\n')}
    esac
  fi
  [[ "$word" != -* && $COMP_CWORD -gt 2 ]] && list=""
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}
complete -o default -F _assay assay`;

const zsh = (known: Grammar): string => `#compdef assay\nautoload -Uz bashcompinit && bashcompinit\n${bash(known)}`;

const fish = ({ words, options }: Grammar): string =>
  [
    `complete -c assay -n __fish_use_subcommand -f -a '${words['']?.join(' ')}'`,
    ...Object.entries(words)
      .filter(([first]) => first !== '')
      .map(
        ([first, each]) =>
          `complete -c assay -n '__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${each.join(' ')}' -f -a '${each.join(' ')}'`,
      ),
    ...Object.entries(options).flatMap(([name, each]) => {
      const seen = name
        .split(' ')
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join('; and ');
      return each.map((option) => `complete -c assay -n '${seen}' -l ${option.slice(2)}`);
    }),
  ].join('\n');

const shells: Readonly<Record<string, (known: Grammar) => string>> = { bash, zsh, fish };
