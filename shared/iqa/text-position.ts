import { positionAt, type TextPosition } from '../kernel/json-position.ts';

/** Where JSON.parse failed, by the position in its message; the end of the text if the message has none. */
export const locateParseError = (text: string, parseMessage: string): TextPosition => {
  const position = /position (\d+)/.exec(parseMessage)?.[1];
  return positionAt(text, position === undefined ? text.length : Number(position));
};

/** Where the last key of a path stands. Each key is searched after the one before; stops at a key that is not found. */
export const locateKey = (text: string, ...path: readonly string[]): TextPosition => {
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
