import { type Knots, type OpinionModel, predict } from '../opinion-model.ts';
import { type HeldOutPrediction, intervalBands } from './conformal.ts';
import { fitCurves } from './fit-opinion-model.ts';
import type { Opinion } from './opinions.ts';
import { rankCorrelation, rootMeanSquare } from './statistics.ts';

/** The sets of full-reference metrics a model is fitted for: each alone, each pair, and the larger sets that predict best. */
export const modelSets = (tools: readonly string[]): readonly (readonly string[])[] => [
  ...tools.map((tool) => [tool]),
  ...tools.flatMap((tool, at) => tools.slice(at + 1).map((other) => [tool, other])),
  ['haarpsi', 'mdsi', 'vsi'],
  ['haarpsi', 'mdsi', 'psnr', 'vsi'],
  ['haarpsi', 'mdsi', 'vif', 'vsi'],
  ['haarpsi', 'mdsi', 'psnr', 'vif', 'vsi'],
];

export interface CrossValidation {
  readonly model: OpinionModel;
  /** The prediction of each row by a model fitted on the other references, in the order of the rows. */
  readonly heldOut: readonly HeldOutPrediction[];
}

/** Fits a model on all rows and validates it by leaving out one reference at a time. */
export const crossValidate = (rows: readonly Opinion[], tools: readonly string[], knots: Knots): CrossValidation => {
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
  const heldOut = rows.map(({ reference, raw, opinion }) => {
    const { score } = predict(without.get(reference) as OpinionModel, knots, raw);
    return { reference, score, opinion };
  });
  const [scores, opinions] = [heldOut.map(({ score }) => score), rows.map(({ opinion }) => opinion)];
  const model = {
    ...fitCurves(rows, tools, knots),
    rmse: rounded(rootMeanSquare(scores, opinions)),
    srcc: rounded(rankCorrelation(scores, opinions)),
    bands: intervalBands(heldOut),
  };
  return { model, heldOut };
};

const rounded = (value: number): number => Number(value.toFixed(4));
