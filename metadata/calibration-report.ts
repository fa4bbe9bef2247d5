import { coverage } from '../shared/iqa/calibration/conformal.ts';
import type { CrossValidation } from '../shared/iqa/calibration/cross-validate.ts';
import { fitLogistic } from '../shared/iqa/calibration/fit-logistic.ts';
import { type Opinion, TID2013_KINDS } from '../shared/iqa/calibration/opinions.ts';
import { agreement } from '../shared/iqa/calibration/seen-kinds.ts';
import { bootstrap, correlation, mean, rankCorrelation, rootMeanSquare } from '../shared/iqa/calibration/statistics.ts';
import type { IqaTool } from '../shared/iqa/metadata.ts';
import { normaliseScore } from '../shared/iqa/normalise.ts';
import { markdownTable as table } from './readme-section.ts';

/** The README's figures: how metrics and the overall prediction agree with opinions on held-out references. */
export const renderOpinions = (
  rows: readonly Opinion[],
  tools: readonly IqaTool[],
  fitted: readonly CrossValidation[],
): string => {
  const ofSize = (from: number, to: number) =>
    fitted.filter(({ model }) => model.tools.length >= from && model.tools.length <= to);
  const [singles, several] = [ofSize(1, 1), ofSize(3, 9)];
  const best = several.find(({ model }) => model.tools.join() === DEFAULT) as CrossValidation;
  return [
    `${rows.length} pictures, ${new Set(rows.map(({ reference }) => reference)).size} references; brackets are 95 % intervals over references.`,
    'Each metric by its own logistic, as `normalized` shows it. Every figure is of references that were left out of the fit:',
    table(
      ['metric', 'rank correlation', 'correlation', 'RMSE'],
      tools.filter(({ type }) => type === 'FR').map((tool) => metricRow(rows, tool)),
    ),
    'No-reference metrics, over all kinds of distortion (a scale that orders so little is not shown as `overall`):',
    table(
      ['metric', 'rank correlation', 'correlation', 'RMSE'],
      tools.filter(({ type }) => type === 'NR').map((tool) => metricRow(rows, tool)),
    ),
    '`overall` by the metrics it is made from:',
    table(
      ['metrics', 'rank correlation', 'RMSE', 'within the 90 % interval'],
      [...several, ...singles].map(({ model, heldOut }) => [
        model.tools.join(' '),
        withInterval(heldOut, (own) => rankCorrelation(scoresOf(own), opinionsOf(own)), 3),
        withInterval(heldOut, (own) => rootMeanSquare(scoresOf(own), opinionsOf(own)), 3),
        percent(coverage(heldOut, model.bands)),
      ]),
    ),
    `By kind of distortion: the rank correlation of \`overall\` from ${best.model.tools.join(', ')} and of each metric with opinion, how far the prediction lies above opinion, and how often opinion lies within the interval:`,
    table(
      ['kind', 'overall', 'bias', 'RMSE', 'within', ...tools.map(({ name }) => name)],
      TID2013_KINDS.map((name, at) => kindRow(rows, tools, best, name, at + 1)),
    ),
  ].join('\n\n');
};

const DEFAULT = 'haarpsi,mdsi,vsi';

interface Scored {
  readonly reference: string;
  readonly score: number;
  readonly opinion: number;
}

const scoresOf = (rows: readonly Scored[]): readonly number[] => rows.map(({ score }) => score);
const opinionsOf = (rows: readonly Scored[]): readonly number[] => rows.map(({ opinion }) => opinion);
const percent = (share: number): string => `${Math.round(100 * share)} %`;

const withInterval = (
  rows: readonly Scored[],
  statistic: (rows: readonly Scored[]) => number,
  digits: number,
): string => {
  const [low, high] = bootstrap(rows, statistic);
  return `${statistic(rows).toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
};

const metricRow = (rows: readonly Opinion[], tool: IqaTool): readonly string[] => {
  const scored = leaveReferencesOut(rows, tool);
  return [
    tool.name,
    withInterval(scored, (own) => rankCorrelation(scoresOf(own), opinionsOf(own)), 2),
    withInterval(scored, (own) => correlation(scoresOf(own), opinionsOf(own)), 2),
    withInterval(scored, (own) => rootMeanSquare(scoresOf(own), opinionsOf(own)), 2),
  ];
};

const FOLDS = 5;

const leaveReferencesOut = (rows: readonly Opinion[], tool: IqaTool): readonly Scored[] => {
  const references = [...new Set(rows.map(({ reference }) => reference))];
  const foldOf = ({ reference }: Opinion): number => references.indexOf(reference) % FOLDS;
  const params = Array.from({ length: FOLDS }, (_, fold) =>
    fitLogistic(
      rows
        .filter((row) => foldOf(row) !== fold)
        .map(({ raw, opinion }) => ({ x: raw[tool.name] as number, y: opinion })),
      tool.lower_better ?? false,
    ),
  );
  return rows.map((row) => {
    const scale = { ...tool, logistic_params: params[foldOf(row)] };
    const { normalized } = normaliseScore(scale, row.raw[tool.name] as number);
    return { reference: row.reference, score: normalized, opinion: row.opinion };
  });
};

const kindRow = (
  rows: readonly Opinion[],
  tools: readonly IqaTool[],
  { model, heldOut }: CrossValidation,
  name: string,
  distortion: number,
): readonly string[] => {
  const own = heldOut.filter((_, at) => rows[at]?.distortion === distortion);
  const [scores, opinions] = [scoresOf(own), opinionsOf(own)];
  return [
    name,
    rankCorrelation(scores, opinions).toFixed(2),
    (mean(scores) - mean(opinions)).toFixed(2),
    rootMeanSquare(scores, opinions).toFixed(2),
    percent(coverage(own, model.bands)),
    ...tools.map((tool) => agreement(rows, tool, distortion).toFixed(2)),
  ];
};
