import { topicalWorth } from '../search/request.ts';
import { isStopWord } from '../search/text.ts';
import type { Reading } from './arguments/reading.ts';
import type { Token } from './arguments/tokens.ts';

export interface TellingWord extends Pick<Token, 'term' | 'lower' | 'start' | 'end'> {
  /** Its weight: how much it says about the subject. */
  readonly worth: number;
}

/** The words of a task without stop words, cached because every candidate is compared with them. */
export const tellingWords = (reading: Reading): readonly TellingWord[] => {
  const known = read.get(reading);
  if (known !== undefined) return known;
  const words = reading.words.all
    .filter(({ lower }) => !isStopWord(lower))
    .map(({ term, lower, start, end }) => ({ term, lower, start, end, worth: topicalWorth(term) }));
  read.set(reading, words);
  return words;
};
const read = new WeakMap<Reading, readonly TellingWord[]>();
