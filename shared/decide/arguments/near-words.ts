import { knownWords } from '../../search/word-vectors.ts';
import { perReading, type Reading } from './reading.ts';
import type { Slot } from './slot.ts';
import type { Token } from './tokens.ts';

/** The word of a request most similar to a term of a choice, except words of the slot's name and the tool's subject. */
export const nearestWord = (
  term: string,
  slot: Slot,
  reading: Reading,
  subject: ReadonlySet<string>,
): NearWord | undefined => {
  const isOpen = ({ token }: NearWord): boolean =>
    sameStart(term, token.term) || !(subject.has(token.term) || slot.nameTerms.includes(token.term));
  const { nearest: kept, more } = wordsNear(term, reading);
  return kept.find(isOpen) ?? (more ? readWordsNear(term, reading).find(isOpen) : undefined);
};

interface NearWord {
  readonly token: Token;
  readonly similarity: number;
}

/** The words of a request most similar to a term, cached because many parameters have the same choices. */
const wordsNear = (
  term: string,
  reading: Reading,
): { readonly nearest: readonly NearWord[]; readonly more: boolean } => {
  const known = nearWords(reading);
  let near = known.get(term);
  if (near === undefined) {
    const all = readWordsNear(term, reading);
    near = { nearest: all.slice(0, NEAREST), more: all.length > NEAREST };
    known.set(term, near);
  }
  return near;
};
const NEAREST = 8;

const readWordsNear = (term: string, reading: Reading): readonly NearWord[] =>
  contentWords(reading)
    .map((token) => ({
      token,
      similarity: sameStart(term, token.term) ? 0.85 : knownWords().similarity(term, token.term),
    }))
    .filter(({ similarity }) => similarity > 0)
    .sort((one, other) => other.similarity - one.similarity);

const nearWords = perReading(() => new Map<string, ReturnType<typeof wordsNear>>());
/** The first occurrence of each word that is not a stop word. */
const contentWords = perReading(({ tokens }): readonly Token[] => {
  const words = new Map<string, Token>();
  for (const token of tokens)
    if (token.isWord && !token.isSmall && !words.has(token.term)) words.set(token.term, token);
  return [...words.values()];
});

export const sameStart = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one));
