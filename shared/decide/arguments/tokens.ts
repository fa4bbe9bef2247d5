import { termOf } from '../../registry/text.ts';

/** One word, number or mark of a task, with its place. */
export interface Token {
  readonly text: string;
  readonly lower: string;
  /** As the index would know it; stop words keep their own form here. */
  readonly term: string;
  readonly start: number;
  readonly end: number;
  readonly isWord: boolean;
}

const TOKEN =
  /\p{Script=Han}|(?:\p{Lu}\.){2,}|[A-G]#|C\+\+|[\p{L}\p{N}]+(?:['’](?!s\b)[\p{L}]+)*|['’]s\b|[^\s\p{L}\p{N}]/gu;
const WORD = /^[\p{L}\p{N}]/u;

export const tokensOf = (text: string): readonly Token[] =>
  Array.from(text.matchAll(TOKEN), (match) => {
    const [word] = match;
    const lower = word.toLowerCase();
    return {
      text: word,
      lower,
      term: termOf(lower) || lower,
      start: match.index,
      end: match.index + word.length,
      isWord: WORD.test(word),
    };
  });
