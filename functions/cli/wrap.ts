/** Prose as wide as the terminal: lines that are longer are broken between words and go on under their text. */
export const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');

const wrapLine = (line: string, width: number): string => {
  if (line.length <= width) return line;
  const hang = ' '.repeat(hangOf(line, width));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const start = rest.length - rest.trimStart().length;
    const at = rest.lastIndexOf(' ', width);
    // A word that is longer than the line, such as an address, stays whole: it can be copied.
    const cut = at > start ? at : rest.indexOf(' ', start + 1);
    if (cut < 0) break;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = hang + rest.slice(cut).trimStart();
  }
  return [...lines, rest].join('\n');
};

/** Where a line goes on: under the second column of `name  text`, else two further than it began. */
const hangOf = (line: string, width: number): number => {
  const start = line.length - line.trimStart().length;
  const column = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
  return column > 0 && column <= width / 2 ? column : Math.min(start + 2, Math.floor(width / 2));
};

/** Some terminals say that they have no columns. */
const LEAST = 20;
const USUAL = 80;

/** How wide a stream's terminal is; what is no terminal has no end. */
export const terminalWidth = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number => {
  if (isTTY !== true) return Number.POSITIVE_INFINITY;
  return columns !== undefined && columns >= LEAST ? columns : USUAL;
};
