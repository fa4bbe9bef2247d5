import { Fault } from './errors.ts';

/**
 * An object with more fields blocks the event loop for tens of milliseconds in each check, and again in the refusal.
 */
export const MAX_FIELDS = 20_000;
/** Objects and lists of one body: by the million, they take seconds to parse, check and free. */
const MAX_PARTS = 100_000;

interface Limits {
  readonly parts?: number;
}

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE, OPEN_LIST] = [34, 92, 58, 123, 125, 91];

/**
 * Refuses JSON text with too many objects and lists, or too many fields in one object, before it is parsed: parsing
 * alone would block the event loop for too long.
 */
export const checkJsonText = (text: string, what: string, { parts: most = MAX_PARTS }: Limits = {}): void => {
  // A shorter text cannot hold that many.
  if (text.length < 2 * Math.min(most, 2 * MAX_FIELDS)) return;
  if (!hasMore(text, ':', MAX_FIELDS) && !hasMore(text, '{', most / 2) && !hasMore(text, '[', most / 2)) return;
  const outer: number[] = [];
  let [fields, parts] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON && ++fields > MAX_FIELDS) throw tooWide(what, '');
    else if ((code === OPEN || code === OPEN_LIST) && ++parts > most) throw tooMany(what, most);
    if (code === OPEN) {
      outer.push(fields);
      fields = 0;
    } else if (code === CLOSE) fields = outer.pop() ?? 0;
  }
};

/** Refuses a text with more lines than are read at once. */
export const checkLines = (text: string, what: string, limit: number): void => {
  if (hasMore(text, '\n', limit) || hasMore(text, '\r', limit))
    throw new Fault('TooLarge', `${what} has more than ${limit} lines; send it in parts`, { limit });
};

/**
 * A cheap first check: most large bodies are one long list or text, and searching for one character costs next to
 * nothing.
 */
const hasMore = (text: string, sign: string, most: number): boolean => {
  let at = -1;
  for (let found = 0; found <= most; found++) {
    at = text.indexOf(sign, at + 1);
    if (at < 0) return false;
  }
  return true;
};

/** The index of the quote that ends a string. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
};

export const tooWide = (what: string, path: string): Fault =>
  new Fault(
    'TooLarge',
    `${what} has more than ${MAX_FIELDS} fields in one object${path === '' ? '' : `, at ${path}`}; send a list instead`,
    { field: path, limit: MAX_FIELDS },
  );

const tooMany = (what: string, limit: number): Fault =>
  new Fault('TooLarge', `${what} has more than ${limit} objects and lists; send fewer at a time, or a text`, { limit });
