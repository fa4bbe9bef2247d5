import { styleText } from 'node:util';
import { terminalWidth, wrap } from './wrap.ts';

type Style = Parameters<typeof styleText>[0];

/** The output of a command: tables and text for people, one JSON value for programs. */
export interface Output {
  readonly json: boolean;
  /** Whether the output is a terminal. */
  readonly interactive: boolean;
  /** The result: JSON for programs, otherwise the text. */
  result(value: unknown, text: () => string): void;
  line(text: string): void;
  /** Writes to stderr, so that it does not mix with results. */
  note(text: string): void;
  /** Text wrapped to the terminal's width; unchanged when it is piped. */
  prose(text: string): string;
  style(style: Style, text: string): string;
}

export const createOutput = (json: boolean, stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output => ({
  json,
  interactive: stdout.isTTY === true && !json,
  result: (value, text) => void stdout.write(`${json ? JSON.stringify(value, undefined, 2) : text()}\n`),
  line: (text) => void stdout.write(`${text}\n`),
  note: (text) => void stderr.write(`${wrap(text, terminalWidth(stderr))}\n`),
  prose: (text) => wrap(text, terminalWidth(stdout)),
  style: (style, text) => styleText(style, text, { stream: stdout }),
});

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly right?: boolean;
  /** Must not be cut, such as times; narrowed after all others. */
  readonly isWhole?: boolean;
  /** The maximum width; longer texts are cut. */
  readonly width?: number;
  /** Its colour in a terminal. */
  readonly style?: (row: Row) => Style | undefined;
}

const GAP = 2;
const NARROWEST = 8;

/**
 * A table with columns as wide as their content. In a terminal the widest columns are narrowed until it fits, and if
 * that is not enough the last ones are omitted; the name column is never cut. In a pipe the last column is not cut
 * either.
 */
export const formatTable = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = terminalWidth(process.stdout),
): string => {
  const isUncut = (at: number): boolean => width === Number.POSITIVE_INFINITY && at === columns.length - 1;
  const cells = rows.map((row) =>
    columns.map(({ value, width: most = 60 }, at) => cut(value(row), isUncut(at) ? width : most)),
  );
  const wanted = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((row) => widthOf(row[at] ?? ''))));
  const kept = columns.map(({ isWhole }, at) => isWhole ?? at === 0);
  const room = width - GAP * (columns.length - 1);
  const least = wanted.reduce((sum, each, at) => sum + (kept[at] ? each : Math.min(each, NARROWEST)), 0);
  if (least > room && columns.length > 1) return formatTable(rows, columns.slice(0, -1), width);
  const widths = fit(wanted, kept, room);
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

/** Narrows the widest columns until the table fits, and columns that must not be cut only if necessary. */
const fit = (widths: readonly number[], kept: readonly boolean[], room: number): readonly number[] => {
  const sum = (which: boolean): number => widths.reduce((all, width, at) => all + (kept[at] === which ? width : 0), 0);
  const free = narrow(
    widths.filter((_, at) => !kept[at]),
    room - sum(true),
  );
  const whole = narrow(
    widths.filter((_, at) => kept[at]),
    room - free.reduce((all, width) => all + width, 0),
  );
  const [nextFree, nextWhole] = [free.values(), whole.values()];
  return widths.map((_, at) => (kept[at] ? nextWhole : nextFree).next().value ?? 0);
};

const narrow = (widths: readonly number[], room: number): readonly number[] => {
  const fitted = [...widths];
  for (let over = fitted.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = fitted.lastIndexOf(Math.max(...fitted));
    if ((fitted[widest] ?? 0) <= NARROWEST) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
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

// Chinese characters are two columns wide.
const widthOf = (text: string): number =>
  text.length + (text.match(/[\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFF60]/g)?.length ?? 0);

/** A time in a table, in the local time zone; only the hour for today. `--json` has the full time. */
export const shortTime = (iso: string, now = new Date()): string => {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return at.toDateString() === now.toDateString() ? time : `${day} ${time.slice(0, 5)}`;
};

/** Milliseconds, rounded for people. */
export const shortMs = (ms: number): string => (ms >= 100 ? String(Math.round(ms)) : String(Number(ms.toPrecision(3))));

export const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(6)}`;
