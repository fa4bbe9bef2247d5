import { formatCsv } from '../../../shared/kernel/csv.ts';
import type { Scores } from '../answers.ts';
import type { ApiFault } from '../fault.ts';

/** The result of one picture. */
export interface BatchRow {
  readonly file: File;
  readonly scores?: Scores;
  readonly fault?: ApiFault;
}

/** A row per picture: the overall score, then each metric's raw and normalised score. */
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
  return formatCsv([head, ...lines]);
};

/** The metrics with a score of any picture. */
export const toolsIn = (rows: readonly BatchRow[]): readonly string[] => [
  ...new Set(rows.flatMap(({ scores }) => scores?.scores.map(({ tool }) => tool) ?? [])),
];

export const download = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
