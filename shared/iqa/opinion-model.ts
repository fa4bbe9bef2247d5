/** Predicts mean opinion on 1..5 as a sum of monotone piecewise linear curves of raw scores. */
export interface OpinionModel {
  readonly tools: readonly string[];
  /** The prediction when every tool is at its lowest knot. */
  readonly base: number;
  /** How much each tool raises the prediction from one of its knots to the next; never negative. */
  readonly steps: Readonly<Record<string, readonly number[]>>;
  /** Root mean square error and rank correlation on held-out references. */
  readonly rmse: number;
  readonly srcc: number;
  /** The widths of the 90 % interval below and above a predicted score; interpolated in between. */
  readonly bands: readonly (readonly [score: number, below: number, above: number])[];
}

/** By tool: the knots of its curve in raw scores, from worst to best, and the score of an identical picture. */
export type Knots = Readonly<Record<string, { readonly identical: number; readonly knots: readonly number[] }>>;

export interface Prediction {
  readonly score: number;
  readonly low: number;
  readonly high: number;
}

/** Predicts the mean opinion and its interval. */
export const predict = (model: OpinionModel, knots: Knots, raw: Readonly<Record<string, number>>): Prediction => {
  if (model.tools.every((tool) => isIdentical(knots, tool, raw[tool]))) return { score: 5, low: 5, high: 5 };
  const score = clip(model.tools.reduce((sum, tool) => sum + liftScore(model, knots, tool, raw[tool]), model.base));
  const [below, above] = widthAt(model.bands, score);
  return { score, low: clip(score - below), high: clip(score + above) };
};

const clip = (score: number): number => Math.min(5, Math.max(1, score));

const liftScore = (model: OpinionModel, knots: Knots, tool: string, raw: number | undefined): number => {
  const curve = knots[tool];
  if (curve === undefined || raw === undefined) return Number.NaN;
  return lift(curve.knots, model.steps[tool] ?? [], raw);
};

// Identical pictures score the best value but for rounding: within a hundredth of the distance to the nearest knot.
const isIdentical = (knots: Knots, tool: string, raw: number | undefined): boolean => {
  const { identical = Number.NaN, knots: own = [] } = knots[tool] ?? {};
  const gap = identical - (own[own.indexOf(identical) - 1] ?? Number.NaN);
  return raw !== undefined && Math.abs(raw - identical) <= 0.01 * Math.abs(gap);
};

/** The sum of the steps up to a raw score; below the lowest knot the first non-zero step is extrapolated. */
export const lift = (knots: readonly number[], steps: readonly number[], raw: number): number => {
  const first = steps.findIndex((step) => step > 0);
  if (first < 0) return 0;
  const lowest = interpolationWeight(knots, 0, raw);
  if (lowest < 0) {
    const slope = (steps[first] as number) / ((knots[first + 1] as number) - (knots[first] as number));
    return slope * (raw - (knots[0] as number));
  }
  return steps.reduce((sum, step, at) => sum + step * Math.min(1, Math.max(0, interpolationWeight(knots, at, raw))), 0);
};

/** The position of a raw score between a knot (0) and the next (1). */
const interpolationWeight = (knots: readonly number[], at: number, raw: number): number =>
  (raw - (knots[at] as number)) / ((knots[at + 1] as number) - (knots[at] as number));

/** For each step, the share (0 to 1) that a raw score has passed. */
export const stepShares = (knots: readonly number[], raw: number): readonly number[] =>
  knots.slice(1).map((_, at) => Math.min(1, Math.max(0, interpolationWeight(knots, at, raw))));

export const widthAt = (bands: OpinionModel['bands'], score: number): readonly [number, number] => {
  const next = bands.findIndex(([at]) => at >= score);
  const [from, to] = [bands[Math.max(0, next - 1)], bands[next < 0 ? bands.length - 1 : next]];
  if (!from || !to) return [Number.NaN, Number.NaN];
  const share = next <= 0 || to[0] === from[0] ? 1 : (score - from[0]) / (to[0] - from[0]);
  return [from[1] + share * (to[1] - from[1]), from[2] + share * (to[2] - from[2])];
};
