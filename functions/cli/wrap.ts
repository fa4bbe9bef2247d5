/** Wraps text to the terminal's width: long lines are broken between words and continue under their text. */
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
    // A word longer than the line, such as a URL, is not broken, so that it can be copied.
    const cut = at > start ? at : rest.indexOf(' ', start + 1);
    if (cut < 0) break;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = hang + rest.slice(cut).trimStart();
  }
  return [...lines, rest].join('\n');
};

/** The indentation of continued lines: the second column of `name  text`, otherwise two more than the line. */
const hangOf = (line: string, width: number): number => {
  const start = line.length - line.trimStart().length;
  const column = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
  return column > 0 && column <= width / 2 ? column : Math.min(start + 2, Math.floor(width / 2));
};

/** Some terminals report zero columns. */
const LEAST = 20;
const USUAL = 80;

/** The width of a stream's terminal; infinite when it is not a terminal. */
export const terminalWidth = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number => {
  if (isTTY !== true) return Number.POSITIVE_INFINITY;
  return columns !== undefined && columns >= LEAST ? columns : USUAL;
};
