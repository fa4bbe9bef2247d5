import { knownWords } from '../../search/word-vectors.ts';
import type { Mention } from './choices.ts';
import type { Reading } from './reading.ts';

/** An offered value that the text has shortened, written out, or with one letter wrong. */
export const otherSpelling = (phrase: string, reading: Reading): Mention | undefined =>
  abbreviated(phrase, reading) ??
  shortMention(phrase, reading) ??
  clippedMention(phrase, reading) ??
  misspelled(phrase, reading);

/** `MID` on offer is meant by `medium`, though no start of a word says so. */
const abbreviated = (phrase: string, { words }: Reading): Mention | undefined => {
  const long = ABBREVIATIONS.get(phrase.toLowerCase());
  const token = long && words.free.find(({ lower }) => long.includes(lower));
  return token && { start: token.start, end: token.end, from: token.text, own: 0.8, source: 'choice' };
};
const ABBREVIATIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['mid', ['medium', 'middle', 'moderate']],
  ['med', ['medium', 'moderate']],
  ['max', ['maximum', 'highest', 'strongest']],
  ['min', ['minimum', 'lowest', 'weakest']],
  ['avg', ['average', 'mean']],
]);

/** `desc` on offer is meant by `descending`: the start of a word, and no word of its own. */
const shortMention = (phrase: string, { tokens }: Reading): Mention | undefined => {
  const short = phrase.toLowerCase();
  if (!/^[a-z]{3,5}$/u.test(short) || knownWords().number(short) !== undefined) return undefined;
  const token = tokens.find(({ lower }) => lower.length > short.length + 2 && lower.startsWith(short));
  return token === undefined
    ? undefined
    : { start: token.start, end: token.end, from: token.text, own: 0.8, source: 'choice' };
};

/** `Sci-fi` on offer is meant by `science fiction`: each part is the start of a word, one after the other. */
const clippedMention = (phrase: string, { words }: Reading): Mention | undefined => {
  const parts = phrase.toLowerCase().split('-');
  if (parts.length !== 2 || parts.some((part) => !/^[a-z]{2,5}$/u.test(part))) return undefined;
  const [one = '', two = ''] = parts;
  const at = words.free.findIndex(
    ({ lower }, place) =>
      lower.length > one.length && lower.startsWith(one) && (words.free[place + 1]?.lower ?? '').startsWith(two),
  );
  const [first, last] = [words.free[at], words.free[at + 1]];
  return first === undefined || last === undefined
    ? undefined
    : { start: first.start, end: last.end, from: `${first.text} ${last.text}`, own: 0.8, source: 'choice' };
};

/** `luxary` on offer as `Luxury`: one letter off, and no word of its own. */
const misspelled = (phrase: string, { words }: Reading): Mention | undefined => {
  const right = phrase.toLowerCase();
  if (!/^[a-z]{6,20}$/u.test(right)) return undefined;
  const token = words.free.find(
    ({ lower, term }) => knownWords().number(term) === undefined && isOneLetterOff(lower, right),
  );
  return token === undefined
    ? undefined
    : { start: token.start, end: token.end, from: token.text, own: 0.8, source: 'choice' };
};

/** Whether one letter was changed, left out, added, or two stand in the wrong order. */
const isOneLetterOff = (one: string, other: string): boolean => {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return left.length <= 1 && right.length <= 1 ? true : left.length === 2 && right === `${left[1]}${left[0]}`;
};
