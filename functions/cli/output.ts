import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Where a command writes: tables and lines for people, one JSON value for programs. */
export interface Output {
  readonly json: boolean;
  /** Whether a person is watching. */
  readonly interactive: boolean;
  /** The result: as JSON for programs, else as the text for people. */
  result(value: unknown, text: () => string): void;
  line(text: string): void;
  /** To the error stream, so that it does not mix with results. */
  note(text: string): void;
  style(style: Style, text: string): string;
}

export const createOutput = (json: boolean, stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output => ({
  json,
  interactive: stdout.isTTY === true && !json,
  result: (value, text) => void stdout.write(`${json ? JSON.stringify(value, undefined, 2) : text()}\n`),
  line: (text) => void stdout.write(`${text}\n`),
  note: (text) => void stderr.write(`${text}\n`),
  style: (style, text) => styleText(style, text, { stream: stdout }),
});

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly right?: boolean;
  /** Longer texts are cut. */
  readonly width?: number;
  /** Its colour in a terminal. */
  readonly style?: (row: Row) => Style | undefined;
}

const GAP = 2;
const NARROWEST = 8;

/** A table with columns as wide as their content, the widest of them narrowed until it fits the terminal. */
export const formatTable = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY,
): string => {
  const cells = rows.map((row) => columns.map(({ value, width: most = 60 }) => cut(value(row), most)));
  const widths = fit(
    columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => widthOf(row[at] ?? '')))),
    width - GAP * (columns.length - 1),
  );
  const write = (row: readonly string[], styleOf: (at: number) => Style | undefined): string =>
    row
      .map((cell, at) => {
        const most = widths[at] ?? 0;
        const text = cut(cell, most);
        const space = ' '.repeat(Math.max(0, most - widthOf(text)));
        const style = styleOf(at);
        const painted = style === undefined ? text : styleText(style, text);
        if (columns[at]?.right) return space + painted;
        return at === row.length - 1 ? painted : painted + space;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = write(
    columns.map(({ title }) => title),
    () => 'dim',
  );
  const lines = cells.map((row, index) => {
    const of = rows[index];
    return write(row, (at) => (of === undefined ? undefined : columns[at]?.style?.(of)));
  });
  return [head, ...lines].join('\n');
};

/** Takes from the widest columns until all have room. */
const fit = (widths: readonly number[], room: number): readonly number[] => {
  const fitted = [...widths];
  let over = fitted.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    const widest = fitted.indexOf(Math.max(...fitted));
    if ((fitted[widest] ?? 0) <= NARROWEST) break;
    const rest = fitted.filter((_, at) => at !== widest);
    const take = Math.max(1, Math.min(over, (fitted[widest] ?? 0) - Math.max(NARROWEST, ...rest)));
    fitted[widest] = (fitted[widest] ?? 0) - take;
    over -= take;
  }
  return fitted;
};

const cut = (text: string, width: number): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  if (widthOf(line) <= width) return line;
  let kept = '';
  for (const character of line) {
    if (widthOf(kept + character) >= width) break;
    kept += character;
  }
  return `${kept}…`;
};

// Chinese characters take two columns of a terminal.
const widthOf = (text: string): number =>
  text.length + (text.match(/[\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/g)?.length ?? 0);
