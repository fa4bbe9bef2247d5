import { Fault } from '../../kernel/errors.ts';
import { failure, MAX_OUTPUT_BYTES } from '../output.ts';
import { type Arguments, type Builtin, defineBuiltin, objectSchema, textArgument } from './builtin.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The number of cells: every row has every column, so the output may be quadratic in the input. */
const readCells = (args: Arguments): number => {
  const lines = textArgument(args, 'csv').split(/[\r\n]/);
  const widest = lines.reduce((most, line) => Math.max(most, line.split(/[,;\t|]/).length), 0);
  return lines.length * widest;
};

export const csvToJson: Builtin = {
  work: readCells,
  definition: defineBuiltin({
    name: 'csv_to_json',
    description:
      'Turns CSV text (RFC 4180, any usual delimiter) into JSON rows, with the first line as field names and numbers and booleans as such.',
    category: 'data',
    tags: ['csv', 'json', 'convert', 'table'],
    scenarios: ['data_analysis', 'file_operations'],
    intents: ['convert', 'read'],
    parameters: {
      csv: { type: 'string', description: 'The CSV text.' },
      delimiter: { type: 'string', enum: [...DELIMITERS], description: 'Found from the first line unless given.' },
      header: { type: 'boolean', default: true, description: 'Whether the first line holds the names of the columns.' },
      types: {
        type: 'boolean',
        default: true,
        description: 'Whether 12.5, true and empty become numbers, booleans, null.',
      },
    },
    required: ['csv'],
    output: objectSchema({
      columns: { type: 'array', items: { type: 'string' } },
      rows: { type: 'array', items: { type: 'object' } },
      count: { type: 'integer' },
      delimiter: { type: 'string' },
    }),
  }),
  run: (args) => {
    const text = textArgument(args, 'csv').replace(/^\uFEFF/, '');
    const delimiter = args.delimiter === undefined ? findDelimiter(text) : textArgument(args, 'delimiter');
    const records = readRecords(text, delimiter);
    const columns = args.header === false ? numbered(records) : uniqueNames(records.shift()?.fields ?? []);
    requireBudget(columns, records.length);
    const rows = records.map((record) => toRow(record, columns, args.types !== false));
    return { columns, rows, count: rows.length, delimiter };
  },
};

interface Record {
  readonly line: number;
  readonly fields: string[];
}

/** The delimiter that occurs most often outside quotes in the first line. */
const findDelimiter = (text: string): string => {
  const first =
    text
      .slice(0, 65_536)
      .split(/\r?\n/, 1)[0]
      ?.replace(/"[^"]*"/g, '') ?? '';
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length - 1);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
};

/**
 * Parses fields in one pass; empty lines are skipped. Not by csv-parse, which is as fast: it refuses `5" pipe`, or else
 * accepts text after a closing quote, and does not tell in which line an unclosed quote was opened.
 */
const readRecords = (text: string, delimiter: string): Record[] => {
  const records: Record[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: Record = { line, fields: [] };
    for (;;) {
      const field = text[at] === '"' ? readQuoted(text, at, line) : readPlain(text, at, delimiter);
      record.fields.push(field.value);
      line += field.lines;
      at = field.end;
      if (text[at] !== delimiter) break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    else if (at < text.length && text[at - 1] !== '\r')
      throw new Fault('InvalidInput', `line ${line} has text after a closing quote`, { field: 'csv', line });
    line++;
    if (record.fields.length > 1 || record.fields[0] !== '') records.push(record);
  }
  return records;
};

interface Field {
  readonly value: string;
  readonly end: number;
  readonly lines: number;
}

const readPlain = (text: string, start: number, delimiter: string): Field => {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return { value: text.slice(start, end), end, lines: 0 };
};

const readQuoted = (text: string, start: number, line: number): Field => {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1)
      throw new Fault('InvalidInput', `the quote opened in line ${line} is never closed`, { field: 'csv', line });
    if (text[quote + 1] !== '"') {
      const value = text.slice(start + 1, quote).replaceAll('""', '"');
      return { value, end: quote + 1, lines: value.split('\n').length - 1 };
    }
    at = quote + 2;
  }
};

const numbered = (records: readonly Record[]): readonly string[] => {
  const width = records.reduce((most, { fields }) => Math.max(most, fields.length), 0);
  return Array.from({ length: width }, (_, at) => `column_${at + 1}`);
};

const uniqueNames = (names: readonly string[]): readonly string[] => {
  const taken = new Set<string>();
  // Continues counting per name: starting over for each repeated name would be quadratic.
  const last = new Map<string, number>();
  return names.map((given, at) => {
    const name = given.trim() || `column_${at + 1}`;
    let [free, n] = [name, last.get(name) ?? 1];
    while (taken.has(free)) free = `${name}_${++n}`;
    taken.add(free);
    last.set(name, n);
    return free;
  });
};

/** Refuses a table before it is built, if its column names alone, repeated in every row, exceed the output limit. */
const requireBudget = (columns: readonly string[], rows: number): void => {
  const bytesOfRow = columns.reduce((bytes, name) => bytes + name.length + '"":"",'.length, 2);
  if (rows * bytesOfRow <= MAX_OUTPUT_BYTES) return;
  throw failure(
    'OutputTooLarge',
    `csv has ${rows} rows of ${columns.length} columns, which is more than ${MAX_OUTPUT_BYTES} bytes of JSON; send at most ${Math.floor(MAX_OUTPUT_BYTES / bytesOfRow)} rows at a time, or fewer columns`,
  );
};

const toRow = ({ fields, line }: Record, columns: readonly string[], types: boolean) => {
  if (fields.length > columns.length)
    throw new Fault(
      'InvalidInput',
      `line ${line} has ${fields.length} fields, but there are ${columns.length} columns`,
      {
        field: 'csv',
        line,
      },
    );
  return Object.fromEntries(columns.map((name, at) => [name, types ? typed(fields[at]) : (fields[at] ?? '')]));
};

// Leading zeros are kept: they belong to codes such as 00123, not to numbers.
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const typed = (field: string | undefined): string | number | boolean | null => {
  if (field === undefined || field === '') return null;
  if (field === 'true' || field === 'false') return field === 'true';
  const number = NUMBER.test(field) ? Number(field) : Number.NaN;
  // Text that a number cannot represent exactly stays text.
  return Number.isFinite(number) && (Number.isSafeInteger(number) || field.includes('.')) ? number : field;
};
