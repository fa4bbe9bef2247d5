import { sha256 } from '../kernel/canonical-json.ts';
import { isObject } from '../kernel/json.ts';

const MAX_TEXT = 256;
const MAX_VALUE = 2048;
const SHOWN = 128;

/** Truncates a value for a record: long texts, then the whole value, are replaced by their start, size and hash. */
export const cutValue = (value: unknown): unknown => {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length <= MAX_TEXT) return value;
  const shorter = cutTexts(value);
  const shorterText = text.length > MAX_VALUE ? JSON.stringify(shorter) : text;
  return shorterText.length <= MAX_VALUE ? shorter : cutText(text);
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
