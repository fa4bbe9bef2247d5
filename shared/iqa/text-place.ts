/** A place in a text, both counted from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where JSON.parse gave up, by the position in its message; the end of the text when it names none. */
export const placeOf = (text: string, parseMessage: string): Place => {
  const position = /position (\d+)/.exec(parseMessage)?.[1];
  return placeAt(text, position === undefined ? text.length : Number(position));
};

/** Where the keys of a path stand, each looked for after the one before; as far as they can be found. */
export const placeOfKey = (text: string, ...path: readonly string[]): Place => {
  let at = 0;
  for (const key of path) {
    const rest = text.slice(at);
    const found = rest.search(new RegExp(`${escapeRegExp(JSON.stringify(key))}\\s*:`));
    if (found < 0) break;
    at += found;
  }
  return placeAt(text, at);
};

const placeAt = (text: string, position: number): Place => {
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
