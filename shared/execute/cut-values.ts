import { sha256 } from '../kernel/canonical-json.ts';
import { isObject } from '../kernel/json.ts';

const MAX_TEXT = 256;
const MAX_VALUE = 2048;
const SHOWN = 128;

/** Truncates a value for a record: first long texts, then the whole value is replaced by its start, size and hash. */
export const cutValue = (value: unknown): unknown => {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length <= MAX_TEXT) return value;
  // Each part takes at least two characters, so with this many parts no truncation of texts suffices.
  if (hasMoreParts(value, MAX_VALUE / 2)) return cutText(text);
  const shorter = cutTexts(value);
  const shorterText = text.length > MAX_VALUE ? JSON.stringify(shorter) : text;
  return shorterText.length <= MAX_VALUE ? shorter : cutText(text);
};

const hasMoreParts = (value: unknown, most: number): boolean => countParts(value, most) > most;

/** The number of parts in a value; counting stops at a number above `most`. */
const countParts = (value: unknown, most: number): number => {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    count += countParts(part, most - count);
    if (count > most) break;
  }
  return count;
};

const cutTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length > MAX_TEXT ? cutText(value) : value;
  if (Array.isArray(value)) return value.map(cutTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, cutTexts(field)]));
};

const cutText = (text: string) => ({
  cut: text.slice(0, SHOWN).toWellFormed(),
  characters: text.length,
  sha256: sha256(text),
});
