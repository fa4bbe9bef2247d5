import { positionAt, type TextPosition } from '../kernel/json-position.ts';

/** Where JSON.parse gave up, by the position in its message; the end of the text when it names none. */
export const placeOf = (text: string, parseMessage: string): TextPosition => {
  const position = /position (\d+)/.exec(parseMessage)?.[1];
  return positionAt(text, position === undefined ? text.length : Number(position));
};

/** Where the keys of a path stand, each looked for after the one before; as far as they can be found. */
export const placeOfKey = (text: string, ...path: readonly string[]): TextPosition => {
  let at = 0;
  for (const key of path) {
    const rest = text.slice(at);
    const found = rest.search(new RegExp(`${escapeRegExp(JSON.stringify(key))}\\s*:`));
    if (found < 0) break;
    at += found;
  }
  return positionAt(text, at);
};

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
