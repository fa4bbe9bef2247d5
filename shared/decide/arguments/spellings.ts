import { knownWords } from '../../search/word-vectors.ts';
import type { Mention } from './choices.ts';
import type { Reading } from './reading.ts';

/** A choice that the text abbreviates, writes out, or has with one letter wrong. */
export const otherSpelling = (phrase: string, reading: Reading): Mention | undefined =>
  abbreviated(phrase, reading) ??
  shortMention(phrase, reading) ??
  clippedMention(phrase, reading) ??
  misspelled(phrase, reading);

/** Known abbreviations: `medium` means the choice `MID`. */
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

/** Prefixes that are not words themselves: `descending` means the choice `desc`. */
const shortMention = (phrase: string, { tokens }: Reading): Mention | undefined => {
  const short = phrase.toLowerCase();
  if (!/^[a-z]{3,5}$/u.test(short) || knownWords().number(short) !== undefined) return undefined;
  const token = tokens.find(({ lower }) => lower.length > short.length + 2 && lower.startsWith(short));
  return token === undefined
    ? undefined
    : { start: token.start, end: token.end, from: token.text, own: 0.8, source: 'choice' };
};

/** Prefixes of consecutive words: `science fiction` means the choice `Sci-fi`. */
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

/** Unknown words with one letter wrong: `luxary` means the choice `Luxury`. */
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

/** Whether two words differ by one letter changed, left out or added, or by two letters swapped. */
const isOneLetterOff = (one: string, other: string): boolean => {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  return left.length <= 1 && right.length <= 1 ? true : left.length === 2 && right === `${left[1]}${left[0]}`;
};
