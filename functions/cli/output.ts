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
  style: (style, text) => (stdout.isTTY ? styleText(style, text) : text),
});

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly right?: boolean;
  /** Longer texts are cut. */
  readonly width?: number;
}

/** A table with columns as wide as their content. */
export const formatTable = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string => {
  const cells = rows.map((row) => columns.map(({ value, width = 60 }) => cut(value(row), width)));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => widthOf(row[at] ?? ''))));
  const write = (row: readonly string[]) =>
    row
      .map((cell, at) => {
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
        return columns[at]?.right ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  return [write(columns.map(({ title }) => title)), ...cells.map(write)].join('\n');
};

const cut = (text: string, width: number): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};

// Chinese characters take two columns of a terminal.
const widthOf = (text: string): number =>
  text.length + (text.match(/[\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/g)?.length ?? 0);
