/** A position in a text, one-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where a text stops being JSON. V8 reports the position only for some errors, so prefixes are bisected. */
export const positionOfJsonError = (text: string): TextPosition => {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (couldGoOn(text.slice(0, middle + 1))) low = middle + 1;
    else high = middle;
  }
  return positionAt(text, low);
};

export const positionAt = (text: string, position: number): TextPosition => {
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

/** Whether a prefix may continue as JSON: it parses, or fails only at its end. */
const couldGoOn = (prefix: string): boolean => {
  try {
    JSON.parse(prefix);
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (/end of JSON input|Unterminated/.test(message)) return true;
    return Number(/position (\d+)/.exec(message)?.[1] ?? -1) >= prefix.length;
  }
};
