import { englishOf, wordAt } from '../../search/chinese.ts';
import { termOf } from '../../search/text.ts';

/** A word, number or punctuation mark of a task, with its position. */
export interface Token {
  readonly text: string;
  readonly lower: string;
  /** The term as in the index, English for a known Chinese word; stop words keep their own form. */
  readonly term: string;
  readonly start: number;
  readonly end: number;
  readonly isWord: boolean;
  /** Whether it is a stop word, which carries no meaning of its own. */
  readonly isSmall: boolean;
}

const TOKEN =
  /\p{Script=Han}+|(?:\p{Lu}\.){2,}|[A-G]#|[A-G] sharp\b|[B-G] flat\b|C\+\+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+(?:['’](?!s\b)[\p{L}]+)*|['’]s\b|[^\s\p{L}\p{N}]/gu;
const WORD = /^[\p{L}\p{N}]/u;
const HAN = /^\p{Script=Han}/u;
const MARKED = /[^\p{ASCII}]/u;

export const tokensOf = (text: string): readonly Token[] =>
  Array.from(text.matchAll(TOKEN), ({ 0: word, index }) =>
    HAN.test(word) ? chineseTokens(word, index) : [toToken(word, index)],
  ).flat();

const toToken = (word: string, start: number): Token => {
  const lower = word.toLowerCase();
  // Accents are removed, as they are from names of parameters.
  const bare = MARKED.test(lower) ? lower.normalize('NFKD').replaceAll(/\p{M}+/gu, '') : lower;
  const stem = termOf(bare);
  return {
    text: word,
    lower,
    term: stem || bare,
    start,
    end: start + word.length,
    isWord: WORD.test(word),
    isSmall: (bare === lower ? stem : termOf(lower)) === '',
  };
};

/** One token for each known word, and one for each character between them. */
const chineseTokens = (run: string, start: number): readonly Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; at < run.length; ) {
    const word = wordAt(run, at) ?? String.fromCodePoint(run.codePointAt(at) ?? 0);
    const [english = word] = englishOf(word);
    tokens.push({
      text: word,
      lower: word,
      term: english,
      start: start + at,
      end: start + at + word.length,
      isWord: true,
      isSmall: termOf(word) === '',
    });
    at += word.length;
  }
  return tokens;
};
