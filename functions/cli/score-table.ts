import type { ScoreReport } from '../../shared/iqa/score.ts';
import { formatCsv } from '../../shared/kernel/csv.ts';
import { formatTable, type Output } from './output.ts';

/** The result of one picture. */
export interface ScoredFile {
  readonly file: string;
  readonly report?: ScoreReport;
  readonly error?: { readonly code: string; readonly message: string };
  readonly failures?: readonly string[];
}

/** One picture: a row per tool. Many: a row per picture with a column per tool. */
export const scoreTable = (results: readonly ScoredFile[], output: Output): string => {
  const [only] = results;
  if (results.length === 1 && only?.report) return onePicture(only.report, output);
  const tools = [...new Set(results.flatMap(({ report }) => report?.scores.map(({ tool }) => tool) ?? []))];
  const overalls = results.flatMap(({ report }) => report?.overall ?? []);
  const hasOverall = overalls.some(({ score }) => score !== undefined);
  const folder = sharedFolder(results.map(({ file }) => file));
  const table = formatTable(results, [
    { title: 'PICTURE', isWhole: false, value: ({ file }) => file.slice(folder.length), width: 48 },
    ...tools.map((tool) => ({
      title: tool.toUpperCase(),
      right: true,
      value: ({ report }: ScoredFile) => rawText(report?.scores.find((score) => score.tool === tool)?.raw),
    })),
    ...(hasOverall
      ? [{ title: 'OVERALL', right: true, value: ({ report }: ScoredFile) => overallText(report?.overall) }]
      : []),
    { title: '', value: ({ error }) => (error === undefined ? '' : error.code) },
  ]);
  const note = hasOverall ? undefined : overalls[0]?.note;
  return note === undefined ? table : `${table}\n${output.prose(note)}`;
};

/** The folder that all files are in, with its last slash; a picture is told from others by the rest. */
const sharedFolder = (files: readonly string[]): string => {
  const [first = ''] = files;
  let end = first.lastIndexOf('/') + 1;
  while (end > 0 && !files.every((file) => file.startsWith(first.slice(0, end))))
    end = first.lastIndexOf('/', end - 2) + 1;
  return first.slice(0, end);
};

const onePicture = (report: ScoreReport, output: Output): string => {
  const { width, height, format } = report.image;
  const rows = formatTable(report.scores, [
    { title: 'TOOL', value: ({ tool }) => tool },
    { title: 'RAW', right: true, value: ({ raw }) => rawText(raw) },
    { title: '1..5', right: true, value: ({ normalized }) => normalized?.toFixed(2) ?? '' },
    { title: '', value: ({ normalized }) => formatBar(normalized), width: 20 },
    {
      title: 'MS',
      right: true,
      value: ({ duration_ms, cached }) => (cached ? 'cached' : String(Math.round(duration_ms))),
    },
    { title: '', value: ({ error, warnings }) => error?.message ?? warnings.join('; '), width: 80 },
  ]);
  const limits = report.scores.flatMap(({ tool, limits }) => (limits === undefined ? [] : [`${tool} ${limits}`]));
  return [`${width} x ${height} ${format}`, rows, overallLine(report.overall, output), ...limits.map(output.prose)]
    .filter((line) => line !== '')
    .join('\n');
};

/** The predicted opinion with its 90 % interval; without a reference, why there is none. */
const overallLine = (overall: ScoreReport['overall'], output: Output): string => {
  if (overall?.score === undefined) return output.prose(overall?.note ?? '');
  const { score, low = score, high = score, word = '' } = overall;
  return `${output.style('bold', `overall ${score.toFixed(2)}`)} of 5, ${word}; 90 % of opinions ${low.toFixed(2)} to ${high.toFixed(2)}`;
};

const overallText = (overall: ScoreReport['overall'] | undefined): string => overall?.score?.toFixed(2) ?? '';

const formatBar = (normalized: number | undefined): string => {
  if (normalized === undefined) return '';
  const filled = Math.round(((normalized - 1) / 4) * 16);
  return '█'.repeat(filled) + '░'.repeat(16 - filled);
};

const rawText = (raw: number | undefined): string => (raw === undefined ? '' : raw.toPrecision(6));

/** A row for each picture and tool, for spreadsheets. */
export const scoresCsv = (results: readonly ScoredFile[]): string => {
  const rows = results.flatMap(({ file, report, error }) =>
    report
      ? report.scores.map((score) => [
          file,
          score.tool,
          score.raw,
          score.normalized,
          report.overall?.score,
          report.overall?.low,
          report.overall?.high,
          score.error?.message,
        ])
      : [[file, '', undefined, undefined, undefined, undefined, undefined, error?.message]],
  );
  const head = ['image', 'tool', 'raw', 'normalized', 'overall', 'overall_low', 'overall_high', 'error'];
  return formatCsv([head, ...rows], '\n');
};
