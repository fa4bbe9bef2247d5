import { chineseWords } from './chinese.ts';
import type { RequestVectors } from './request-vectors.ts';
import type { QueryTerm } from './search-index.ts';
import { TEXT_LIMIT, termOf, wordsOf } from './text.ts';
import { knownWords, type Neighbour } from './word-vectors.ts';

/** A parsed task, made once and shared by all steps. */
export interface Request {
  /** The task, cut to a bounded length. */
  readonly text: string;
  readonly words: readonly string[];
  readonly terms: readonly RequestTerm[];
  /** The same terms, the most topical first. */
  readonly byTopic: readonly RequestTerm[];
  readonly said: ReadonlySet<string>;
  /** Term bigrams, as `one two`. */
  readonly pairs: ReadonlySet<string>;
  /** The weighted sum of the terms' word vectors, as a unit vector. */
  readonly direction: Float32Array;
  /** The vectors of the sentence encoder, if there is one. */
  readonly vectors?: RequestVectors | undefined;
}

export interface RequestTerm extends QueryTerm {
  /** Translations: terms of another language with the same meaning. */
  readonly same: readonly string[];
  /** How much the term says about the subject; low for filler words. */
  readonly topical: number;
}

const TERM_LIMIT = 256;

export const readRequest = (task: string, vectors?: RequestVectors): Request => {
  const text = task.slice(0, TEXT_LIMIT);
  // A base64 picture or a token is a value, not words.
  const words = wordsOf(text.replaceAll(BLOB, ' '));
  const list = words.map(termOf);
  const counts = new Map<string, number>();
  for (const term of list) if (term !== '') counts.set(term, (counts.get(term) ?? 0) + 1);
  const spoken = list.filter((term) => term !== '');
  const chinese = chineseTerms(text);
  const plain = [...counts].filter(([term]) => !chinese.within.has(term)).slice(0, TERM_LIMIT);
  const outside = termsOutsideQuotes(text);
  const terms = [...plain.map((counted) => weigh(counted, outside?.has(counted[0]) === false)), ...chinese.terms];
  return {
    text,
    words,
    terms,
    byTopic: terms.toSorted((one, other) => other.topical - one.topical),
    said: new Set(terms.flatMap(({ term, same }) => [term, ...same])),
    pairs: new Set(spoken.slice(1).map((term, at) => `${spoken[at]} ${term}`)),
    direction: directionOf(terms),
    vectors,
  };
};

/** The terms outside quotation marks, as quoted words are values; undefined if nothing or everything is quoted. */
const termsOutsideQuotes = (text: string): ReadonlySet<string> | undefined => {
  if (!QUOTE.test(text)) return undefined;
  const outside = wordsOf(text.replaceAll(QUOTED, ' ').replaceAll(BLOB, ' ')).map(termOf);
  return outside.some((term) => term !== '') ? new Set(outside) : undefined;
};

const directionOf = (terms: readonly RequestTerm[]): Float32Array => {
  const weights = new Map(terms.map(({ term, same, topical }) => [same[0] ?? term, topical]));
  return knownWords().direction(weights.keys(), (term) => weights.get(term) ?? 0);
};

const weigh = ([term, count]: readonly [string, number], isValue: boolean): RequestTerm => {
  const words = knownWords();
  // Numbers and ids are values; it means nothing if a tool's text contains the same one.
  const own = VALUE.test(term) ? VALUE_WORTH : HAN.test(term) ? BIGRAM_WORTH : 1;
  const value = isValue ? Math.min(own, QUOTED_WORTH) : own;
  const weight = Math.min(1 + 0.3 * (count - 1), 2) * words.worth(term) * value;
  return {
    term,
    same: [],
    weight,
    alternatives: alternativesOf(words.neighbours(term)),
    topical: value * words.worth(term) * (FILLERS.has(term) ? FILLER_WORTH : 1),
  };
};

/** Neighbours near enough to match in place of a word; memoised, as a word always has the same neighbour list. */
const alternativesOf = (neighbours: readonly Neighbour[]): NonNullable<QueryTerm['alternatives']> => {
  const known = alternatives.get(neighbours);
  if (known !== undefined) return known;
  const made = neighbours
    .slice(0, NEIGHBOURS)
    .map((near) => ({ term: near.term, factor: NEAR_FACTOR * ((near.similarity - NEAR) / (1 - NEAR)) }))
    .filter(({ factor }) => factor > 0.05);
  alternatives.set(neighbours, made);
  return made;
};
const alternatives = new WeakMap<readonly Neighbour[], NonNullable<QueryTerm['alternatives']>>();

/** How much a term says about a subject, regardless of its context. */
export const topicalWorth = (term: string): number =>
  (VALUE.test(term) ? VALUE_WORTH : 1) * knownWords().worth(term) * (FILLERS.has(term) ? FILLER_WORTH : 1);

/** Known Chinese words with their English translations, as many catalogues are described in English only. */
const chineseTerms = (
  text: string,
): { readonly terms: readonly RequestTerm[]; readonly within: ReadonlySet<string> } => {
  const found = chineseWords(text);
  return {
    terms: found.map(({ chinese, english }) => ({
      term: chinese.slice(0, 2),
      same: english,
      weight: CHINESE_WORTH,
      topical: CHINESE_WORTH,
      alternatives: english.map((term) => ({ term, factor: 1 })),
    })),
    within: new Set(found.flatMap(({ chinese }) => wordsOf(chinese))),
  };
};

/** Whether a term or one of its translations is in a set. */
export const isIn = ({ term, same }: RequestTerm, set: ReadonlySet<string>): boolean =>
  set.has(term) || same.some((other) => set.has(other));

/** Whether a term never indicates a subject, such as `good`, which could describe many tools. */
export const saysNothing = ({ term }: Pick<RequestTerm, 'term'>): boolean => IDLE.has(term);

const BLOB = /[A-Za-z\d+/=_-]{100,}/gu;
const QUOTED =
  /"[^"]{1,2000}"|“[^”]{1,2000}”|(?<![\p{L}\p{N}])'(?:[^']|'(?=\p{L})){1,500}'(?!\p{L})|《[^》]{1,500}》/gu;
const QUOTE = /["“'《]/u;
const QUOTED_WORTH = 0.3;
const NEIGHBOURS = 4;
const NEAR = 0.5;
const NEAR_FACTOR = 0.5;
const FILLER_WORTH = 0.4;
const VALUE = /^\d+$|\d.*\d|^[a-f\d]*\d[a-f\d]{4,}$/u;
const VALUE_WORTH = 0.1;
// Bigrams left between the known words of a Chinese sentence are mostly not words.
const HAN = /\p{Script=Han}/u;
const BIGRAM_WORTH = 0.2;
const CHINESE_WORTH = 0.9;

/** Filler words of requests on any subject; they distinguish tools only when the subject is the same. */
const FILLERS: ReadonlySet<string> = new Set(
  `provide specific help find new information get detail include assist assistance create current currently look available
  interest interested know time generate search plan name number recommend retrieve list next locate start set perform
  check base relate latest give final finally tell make different access work well lastly explore update show suggest
  suggestion prefer call upcoming unique insight good ensure complete best additionally see option fetch hi hello hey
  thank thanks kindly sure able possible various comprehensive several recent recently particular specifically overall
  great really quickly quick easy way thing something someone anything today now guide advice tip try ask question
  answer wonder curious think understand sort kind type bit lot top full general`
    .split(/\s+/u)
    .map(termOf),
);
const IDLE: ReadonlySet<string> = new Set(
  `good well great best nice bad really quickly quick easy way thing something someone anything now able possible various
  several particular specifically overall hi hello hey thank thanks kindly sure unique comprehensive different specific
  interest interested know help assist assistance lot bit sort kind general want wonder curious`
    .split(/\s+/u)
    .map(termOf),
);
