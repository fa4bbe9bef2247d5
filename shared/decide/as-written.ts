import { termOf, wordsOf } from '../search/text.ts';

/** Terms as the request writes them: `resize` instead of the stem `resiz`. One that it does not have stays as it is. */
export const asWritten = (terms: readonly string[], text: string): readonly string[] => {
  const words = new Map<string, string>();
  for (const word of wordsOf(text)) if (!words.has(termOf(word))) words.set(termOf(word), word);
  return terms.map((term) => words.get(term) ?? term);
};
