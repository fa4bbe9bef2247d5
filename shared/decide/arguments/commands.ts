import type { Extraction } from './extract.ts';
import type { Reading } from './reading.ts';
import type { Slot } from './slot.ts';

/** The command line that a text tells to use: `using docker ps`, `the echo %date% command`, `run "ls -l"`. */
export const commandSaid = (slot: Slot, { text }: Reading): Extraction | undefined => {
  if (slot.type !== 'string' || slot.choices.length > 0 || !slot.nameTerms.some((term) => COMMANDS.has(term)))
    return undefined;
  const told = SAYING.flatMap((pattern) => [...text.matchAll(pattern)]).sort((one, other) => other.index - one.index);
  for (const match of told) {
    const value = plain(match.groups?.command ?? '');
    // A single word is mostly the name of a program, of which the text goes on to say what it shall do.
    if (value !== '' && !value.startsWith('command'))
      return { value, confidence: value.includes(' ') ? 0.7 : 0.4, from: match.groups?.command ?? '' };
  }
  return undefined;
};

const plain = (said: string): string => said.replace(/^(["'`])(.*)\1$/u, '$2').trim();

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const COMMANDS = words('command cmd shell script instruct cli 命令');
const SAYING: readonly RegExp[] = [
  /(?<!\p{L})(?:using|via|through|by running|by executing|with)\s(?:the\s)?(?:(?:shell\s|terminal\s)?(?:command|instruction)s?(?:\s(?:called|named|line))?:?\s)?(?<command>[^\n]{2,400}?)(?:\s(?:command|instruction))?\s?[.?!]*(?=\s+[A-Z]|\n|$)/gu,
  /(?<!\p{L})(?:use|run|execute|type|enter)\s(?:the\s)?(?:(?:shell\s|terminal\s)?(?:command|instruction)s?(?:\s(?:called|named|line))?:?\s)?(?<command>[^\n]{2,400}?)(?:\s(?:command|instruction))?(?:\sto\s\p{Ll}+[^\n]*?)?\s?[.?!]*(?=\s+[A-Z]|\n|$)/gu,
  /(?:运行|执行|使用)\s?(?:命令)?[:：]?\s?(?<command>[\x21-\x7e][\x20-\x7e]{1,400}?)(?=\s?命令|[，。]|$)/gu,
];
