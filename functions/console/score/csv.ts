import type { Scores } from '../answers.ts';
import type { ApiFault } from '../fault.ts';

/** What came of one picture of many. */
export interface BatchRow {
  readonly file: File;
  readonly scores?: Scores;
  readonly fault?: ApiFault;
}

/** One line a picture: overall, then raw and normalised score of each metric. */
export const formatScoresCsv = (rows: readonly BatchRow[]): string => {
  const tools = toolsIn(rows);
  const head = [
    'file',
    'overall',
    'overall_low',
    'overall_high',
    ...tools.flatMap((tool) => [`${tool}_raw`, `${tool}_1_to_5`]),
    'error',
  ];
  const lines = rows.map(({ file, scores, fault }) => [
    file.name,
    scores?.overall?.score,
    scores?.overall?.low,
    scores?.overall?.high,
    ...tools.flatMap((name) => {
      const score = scores?.scores.find(({ tool }) => tool === name);
      return [score?.raw, score?.normalized];
    }),
    fault?.message,
  ]);
  return `${[head, ...lines].map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`;
};

/** The metrics that any of the pictures was scored with. */
export const toolsIn = (rows: readonly BatchRow[]): readonly string[] => [
  ...new Set(rows.flatMap(({ scores }) => scores?.scores.map(({ tool }) => tool) ?? [])),
];

// A cell that begins like a formula would be run by a spreadsheet.
const cell = (value: string | number | undefined): string => {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
