import type { ScoreReport } from '../../shared/iqa/score.ts';

/** A picture of the report, with thumbnails of itself and its reference as data URLs. */
export interface ReportEntry {
  readonly file: string;
  readonly report?: ScoreReport | undefined;
  readonly error?: { readonly message: string } | undefined;
  readonly picture?: string | undefined;
  readonly reference?: string | undefined;
}

/** A self-contained page: worst pictures first, a histogram, outliers, and every metric of every file. */
export const renderReport = (entries: readonly ReportEntry[]): string => {
  const scored = entries
    .flatMap((entry) => (entry.report ? [{ ...entry, report: entry.report, quality: qualityOf(entry.report) }] : []))
    .sort((a, b) => (a.quality ?? 9) - (b.quality ?? 9) || (a.file < b.file ? -1 : 1));
  const failed = entries.filter(({ report }) => !report);
  const known = scored.flatMap(({ quality }) => quality ?? []);
  const isPredicted = scored.some(({ report }) => report.overall?.score !== undefined);
  const fence = outlierFence(known);
  const outliers = scored.filter(({ quality }) => quality !== undefined && quality < fence);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Image quality of ${entries.length} pictures</title>
<style>${STYLE}</style>
<h1>Image quality</h1>
<p>${entries.length} pictures, ${failed.length} failed, ${outliers.length} outliers. ${escapeHtml(isPredicted ? PREDICTED : ALONE)}</p>
${histogram(known)}
${list(
  'Outliers',
  outliers.map(({ file, quality }) => `${file}: ${quality?.toFixed(2)}`),
)}
${list(
  'Failed',
  failed.map(({ file, error }) => `${file}: ${error?.message ?? 'no score'}`),
)}
<ol class="pictures">
${scored.map((entry) => card(entry, entry.quality, fence)).join('\n')}
</ol>
</html>
`;
};

const PREDICTED =
  'Worst first by overall, the mean opinion of people on 1..5 that is predicted; brackets hold 90 % of opinions.';
const ALONE =
  'Worst first by the mean of the metrics on 1..5. Without references this orders pictures of one kind only; each metric names what it does not see.';

/** The sort key of pictures: the overall score, otherwise the mean of calibrated scores. */
export const qualityOf = ({ overall }: ScoreReport): number | undefined => overall?.score ?? overall?.mean;

/** Tukey's lower fence: values below it are outliers. */
const outlierFence = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return sorted.length < 4 ? Number.NEGATIVE_INFINITY : at(0.25) - 1.5 * (at(0.75) - at(0.25));
};

const BINS = 20;

const histogram = (values: readonly number[]): string => {
  if (values.length === 0) return '';
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(((value - 1) / 4) * BINS)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  const bars = counts.map((count, bin) => {
    const height = (90 * count) / most;
    const from = 1 + (4 * bin) / BINS;
    return `<rect x="${bin * 20 + 1}" y="${95 - height}" width="18" height="${height}"><title>${from.toFixed(1)} to ${(from + 4 / BINS).toFixed(1)}: ${count}</title></rect>`;
  });
  const marks = [1, 2, 3, 4, 5].map((mark) => `<text x="${(mark - 1) * 100}" y="112">${mark}</text>`);
  return `<svg class="histogram" viewBox="-6 0 412 116" role="img" aria-label="How many pictures have which quality">${bars.join('')}${marks.join('')}</svg>`;
};

const list = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<h2>${title}</h2><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`;

const card = (
  entry: ReportEntry & { readonly report: ScoreReport },
  quality: number | undefined,
  fence: number,
): string => {
  const { file, report, picture, reference } = entry;
  const { overall, image, scores } = report;
  const interval =
    overall?.score === undefined ? '' : ` [${overall.low?.toFixed(2)} to ${overall.high?.toFixed(2)}], ${overall.word}`;
  const rows = scores.map(
    ({ tool, raw, normalized, error, limits }) =>
      `<tr title="${escapeHtml(limits ?? '')}"><td>${escapeHtml(tool)}<td>${raw === undefined ? escapeHtml(error?.message ?? '') : raw.toPrecision(5)}<td>${normalized?.toFixed(2) ?? ''}`,
  );
  const thumbnail = (address: string | undefined, what: string): string =>
    address === undefined ? '' : `<img src="${address}" alt="${what}" loading="lazy">`;
  return `<li class="${quality !== undefined && quality < fence ? 'outlier' : ''}"><h3>${escapeHtml(file)}</h3>
<p><strong>${quality?.toFixed(2) ?? 'no quality'}</strong>${interval} · ${image.width} x ${image.height} ${escapeHtml(image.format)}</p>
<div>${thumbnail(picture, 'picture')}${thumbnail(reference, 'reference')}</div>
<table><tr><th>metric<th>raw<th>1..5${rows.join('')}</table>`;
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

const STYLE = `
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222; }
.histogram { width: 100%; max-width: 40rem; } .histogram rect { fill: #47c; } .histogram text { font-size: 11px; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
.pictures li { border: 1px solid #ccc; border-radius: 8px; padding: .7rem; overflow: hidden; } .outlier { border-color: #c33; background: #fff4f2; }
h3 { font-size: .9rem; margin: 0; overflow-wrap: anywhere; } p { margin: .3rem 0; }
.pictures div { display: flex; gap: 4px; } .pictures img { max-width: 100%; min-width: 0; flex: 0 1 auto; }
table { border-collapse: collapse; font-size: .8rem; width: 100%; } td, th { text-align: left; padding: 1px 6px 1px 0; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #ddd; } .outlier { background: #2a1714; } }`;
