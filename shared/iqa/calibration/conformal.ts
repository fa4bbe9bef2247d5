import { type OpinionModel, widthAt } from '../opinion-model.ts';

/** A prediction for a picture whose reference was left out, and what people said. */
export interface LeftOut {
  readonly reference: string;
  readonly score: number;
  readonly opinion: number;
}

const COVERAGE = 0.9;
const BANDS = 6;

/**
 * How far opinions lie below and above predictions, by bands of the score: the quantiles of what was left out, widened
 * until the opinions of references that took no part in the quantiles are covered as often.
 */
export const intervalBands = (leftOut: readonly LeftOut[]): OpinionModel['bands'] => {
  const references = [...new Set(leftOut.map(({ reference }) => reference))];
  const without = references.map((reference) => ({
    own: leftOut.filter((each) => each.reference === reference),
    bands: quantiles(leftOut.filter((each) => each.reference !== reference)),
  }));
  let [low, high] = [0.5, 3];
  for (let round = 0; round < 30; round++) {
    const factor = (low + high) / 2;
    const covered = without.reduce(
      (sum, { own, bands }) => sum + coverage(own, widened(bands, factor)) * own.length,
      0,
    );
    if (covered / leftOut.length < COVERAGE) low = factor;
    else high = factor;
  }
  return widened(quantiles(leftOut), high);
};

/** The share of opinions that lie within the interval of their prediction. */
export const coverage = (leftOut: readonly LeftOut[], bands: OpinionModel['bands']): number => {
  const inside = leftOut.filter(({ score, opinion }) => {
    const [below, above] = widthAt(bands, score);
    return opinion >= Math.max(1, score - below) && opinion <= Math.min(5, score + above);
  });
  return inside.length / leftOut.length;
};

const quantiles = (leftOut: readonly LeftOut[]): OpinionModel['bands'] => {
  const sorted = leftOut.toSorted((a, b) => a.score - b.score);
  const bands = Array.from({ length: BANDS }, (_, band) => {
    const own = sorted.slice(
      Math.floor((band * sorted.length) / BANDS),
      Math.floor(((band + 1) * sorted.length) / BANDS),
    );
    const errors = own.map(({ score, opinion }) => opinion - score).sort((a, b) => a - b);
    const at = (share: number): number =>
      errors[Math.min(errors.length - 1, Math.max(0, Math.floor(share * errors.length)))] as number;
    const mean = own.reduce((sum, { score }) => sum + score, 0) / own.length;
    const tail = (1 - COVERAGE) / 2;
    return [mean, Math.max(0, -at(tail)), Math.max(0, at(1 - tail))] as const;
  });
  return bands;
};

/**
 * Above the highest band hardly anything was rated, and people gave it no more than what lies in that band: there the
 * interval keeps its lower end. Identical pictures, which leave no doubt, have none.
 */
const widened = (bands: OpinionModel['bands'], factor: number): OpinionModel['bands'] => {
  const wide = bands.map(([score, below, above]) => [score, below * factor, above * factor] as const);
  const [score = 5, below = 0] = wide.at(-1) ?? [];
  const all = [...wide, [5, 5 - score + below, 0] as const];
  return all.map(([at, low, high]) => [rounded(at), rounded(low), rounded(high)] as const);
};

const rounded = (value: number): number => Number(value.toFixed(4));
