import { type OpinionModel, widthAt } from '../opinion-model.ts';

/** A held-out prediction (the model was fitted without this picture's reference) and the mean opinion. */
export interface HeldOutPrediction {
  readonly reference: string;
  readonly score: number;
  readonly opinion: number;
}

const COVERAGE = 0.9;
const BANDS = 6;

/**
 * The prediction interval by bands of the score: quantiles of the held-out errors, widened until they also cover 90 % of
 * the opinions of references that the quantiles were not computed from.
 */
export const intervalBands = (heldOut: readonly HeldOutPrediction[]): OpinionModel['bands'] => {
  const references = [...new Set(heldOut.map(({ reference }) => reference))];
  const without = references.map((reference) => ({
    own: heldOut.filter((each) => each.reference === reference),
    bands: quantiles(heldOut.filter((each) => each.reference !== reference)),
  }));
  let [low, high] = [0.5, 3];
  for (let round = 0; round < 30; round++) {
    const factor = (low + high) / 2;
    const covered = without.reduce(
      (sum, { own, bands }) => sum + coverage(own, widened(bands, factor)) * own.length,
      0,
    );
    if (covered / heldOut.length < COVERAGE) low = factor;
    else high = factor;
  }
  return widened(quantiles(heldOut), high);
};

/** The share of opinions inside the interval of their prediction. */
export const coverage = (heldOut: readonly HeldOutPrediction[], bands: OpinionModel['bands']): number => {
  const inside = heldOut.filter(({ score, opinion }) => {
    const [below, above] = widthAt(bands, score);
    return opinion >= Math.max(1, score - below) && opinion <= Math.min(5, score + above);
  });
  return inside.length / heldOut.length;
};

const quantiles = (heldOut: readonly HeldOutPrediction[]): OpinionModel['bands'] => {
  const sorted = heldOut.toSorted((a, b) => a.score - b.score);
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
 * Hardly any rated picture scores above the highest band, and none was rated better than that band: there the interval
 * keeps its lower end. Identical pictures have no interval, because their score is certain.
 */
const widened = (bands: OpinionModel['bands'], factor: number): OpinionModel['bands'] => {
  const wide = bands.map(([score, below, above]) => [score, below * factor, above * factor] as const);
  const [score = 5, below = 0] = wide.at(-1) ?? [];
  const all = [...wide, [5, 5 - score + below, 0] as const];
  return all.map(([at, low, high]) => [rounded(at), rounded(low), rounded(high)] as const);
};

const rounded = (value: number): number => Number(value.toFixed(4));
