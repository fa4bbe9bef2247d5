import data from '../../metadata/chinese.json' with { type: 'json' };
import { lazily } from '../kernel/lazily.ts';
import { termOf } from './text.ts';

export interface ChineseWord {
  readonly chinese: string;
  /** English translations as terms, the best first. */
  readonly english: readonly string[];
}

const LONGEST = 5;
const HAN = /\p{Script=Han}+/gu;

/** The known words of a Chinese text, by greedy longest match, without duplicates. */
export const chineseWords = (text: string): readonly ChineseWord[] => {
  const found = new Map<string, ChineseWord>();
  for (const [run] of text.matchAll(HAN)) {
    for (let at = 0; at < run.length; ) {
      const word = wordAt(run, at);
      if (word !== undefined) found.set(word, { chinese: word, english: dictionary().get(word) ?? [] });
      at += word?.length ?? 1;
    }
  }
  return [...found.values()];
};

/** The English terms of a Chinese word; empty for an unknown word. */
export const englishOf = (word: string): readonly string[] => dictionary().get(word) ?? [];

/** The same translations as words, not stemmed. */
export const englishWordsOf = (word: string): readonly string[] =>
  Object.hasOwn(data.words, word) ? ((data.words as Readonly<Record<string, string>>)[word]?.split(' ') ?? []) : [];

/** The longest known word at a position in a Chinese text. */
export const wordAt = (run: string, at: number): string | undefined => {
  for (let length = LONGEST; length > 0; length--) {
    const word = run.slice(at, at + length);
    if (word.length === length && dictionary().has(word)) return word;
  }
  return undefined;
};

const dictionary = lazily(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(Object.entries(data.words).map(([word, english]) => [word, english.split(' ').map(termOf)])),
);
