import { sha256 } from '../kernel/canonical-json.ts';
import { isObject } from '../kernel/json.ts';

const MAX_TEXT = 256;
const MAX_VALUE = 2048;
const SHOWN = 128;

/** Truncates a value for a record: first long texts, then the whole value is replaced by its start, size and hash. */
export const cutValue = (value: unknown): unknown => {
  // Each part takes at least two characters, so with this many parts no truncation of texts suffices.
  if (!hasMoreParts(value, MAX_VALUE / 2)) {
    // A value of megabytes is mostly its texts, so it is written out only without them.
    const shorter = cutTexts(value);
    if (textOf(shorter).length <= MAX_VALUE) return shorter;
  }
  const text = textOf(value);
  return text.length <= MAX_TEXT ? value : cutText(text);
};

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'null';

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

/** The value itself where nothing in it is too long. */
const cutTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return value.length > MAX_TEXT ? cutText(value) : value;
  if (Array.isArray(value)) {
    const items = value.map(cutTexts);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, cutTexts(field)] as const);
  return fields.some(([name, field]) => field !== value[name]) ? Object.fromEntries(fields) : value;
};

const cutText = (text: string) => ({
  cut: text.slice(0, SHOWN).toWellFormed(),
  characters: text.length,
  sha256: sha256(text),
});
