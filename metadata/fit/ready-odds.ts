import { stepsOf, sumOfTrees, type Tree } from '../../shared/decide/trees.ts';
import { fitTrees } from './boost.ts';
import { fitLogistic, type Judged } from './logistic.ts';

/** Log odds as the sum of a linear model and boosted trees, whose errors differ. */
export interface Odds {
  readonly weights: ReadonlyMap<string, number>;
  readonly features: readonly string[];
  readonly trees: readonly Tree[];
}

export const fitOdds = (judged: readonly Judged[]): Odds => {
  const { features, trees, start } = fitTrees(judged);
  const scaledTrees = scaledValues(trees, TREES_SHARE);
  const weights = new Map(Array.from(fitLogistic(judged), ([name, weight]) => [name, SUM_SHARE * weight]));
  return {
    weights: weights.set('bias', (weights.get('bias') ?? 0) + TREES_SHARE * start),
    features,
    trees: scaledTrees,
  };
};
/** The penalty shrinks the log odds of the linear model, so the two shares add up to more than 1. */
const SUM_SHARE = 0.25;
const TREES_SHARE = 0.8;

const scaledValues = (trees: readonly Tree[], factor: number): readonly Tree[] =>
  trees.map((tree) => tree.map((value, at) => (at < 2 * stepsOf(tree) ? value : value * factor)));

export const oddsBy = ({ weights, features, trees }: Odds, given: Judged['features']): number => {
  const values = new Map(given);
  let sum = sumOfTrees(
    trees,
    features.map((name) => values.get(name) ?? 0),
  );
  for (const [name, value] of given) sum += value * (weights.get(name) ?? 0);
  return sum;
};

export const scaled = ({ weights, features, trees }: Odds, slope: number, shift: number): Odds => ({
  weights: new Map(Array.from(weights, ([name, weight]) => [name, slope * weight + (name === 'bias' ? shift : 0)])),
  features,
  trees: scaledValues(trees, slope),
});
