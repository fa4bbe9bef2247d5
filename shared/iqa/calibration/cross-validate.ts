import { type Knots, type OpinionModel, predict } from '../opinion-model.ts';
import { intervalBands, type LeftOut } from './conformal.ts';
import { fitCurves } from './fit-opinion-model.ts';
import type { Opinion } from './opinions.ts';
import { rankCorrelation, rootMeanSquare } from './statistics.ts';

/** The sets of full-reference metrics that models are made for: each, every two, and those that predict best. */
export const modelSets = (tools: readonly string[]): readonly (readonly string[])[] => [
  ...tools.map((tool) => [tool]),
  ...tools.flatMap((tool, at) => tools.slice(at + 1).map((other) => [tool, other])),
  ['haarpsi', 'mdsi', 'vsi'],
  ['haarpsi', 'mdsi', 'psnr', 'vsi'],
  ['haarpsi', 'mdsi', 'vif', 'vsi'],
  ['haarpsi', 'mdsi', 'psnr', 'vif', 'vsi'],
];

export interface Validated {
  readonly model: OpinionModel;
  /** What the model predicts of each reference when fitted on the others, in the order of the rows. */
  readonly leftOut: readonly LeftOut[];
}

/** Fits a model on all rows, and judges it by models that each leave one reference out. */
export const crossValidate = (rows: readonly Opinion[], tools: readonly string[], knots: Knots): Validated => {
  const references = [...new Set(rows.map(({ reference }) => reference))];
  const without = new Map(
    references.map((left) => {
      const curves = fitCurves(
        rows.filter(({ reference }) => reference !== left),
        tools,
        knots,
      );
      return [left, { ...curves, rmse: 0, srcc: 0, bands: [] }] as const;
    }),
  );
  const leftOut = rows.map(({ reference, raw, opinion }) => {
    const { score } = predict(without.get(reference) as OpinionModel, knots, raw);
    return { reference, score, opinion };
  });
  const [scores, opinions] = [leftOut.map(({ score }) => score), rows.map(({ opinion }) => opinion)];
  const model = {
    ...fitCurves(rows, tools, knots),
    rmse: rounded(rootMeanSquare(scores, opinions)),
    srcc: rounded(rankCorrelation(scores, opinions)),
    bands: intervalBands(leftOut),
  };
  return { model, leftOut };
};

const rounded = (value: number): number => Number(value.toFixed(4));
