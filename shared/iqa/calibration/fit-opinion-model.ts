import { type Knots, lift, type OpinionModel, stepShares } from '../opinion-model.ts';
import type { Opinion } from './opinions.ts';

/** Quantiles of a tool's scores at which knots lie: denser for good pictures, where people agree most. */
const QUANTILES = [0.005, 0.1, 0.25, 0.4, 0.55, 0.7, 0.82, 0.91, 0.97, 0.995];
/** Ridge penalty, for curves that are nearly collinear. */
const RIDGE = 1;
const ROUNDS = 600;

/** Places the knots of each tool by its scores alone; opinions are not used. */
export const placeKnots = (
  rows: readonly Opinion[],
  tools: readonly { readonly name: string; readonly identical: number; readonly lower_better?: boolean | undefined }[],
): Knots =>
  Object.fromEntries(
    tools.map(({ name, identical, lower_better }) => {
      const direction = lower_better ? -1 : 1;
      const sorted = rows.map(({ raw }) => raw[name] as number).sort((a, b) => direction * (a - b));
      const chosen = QUANTILES.map((share) => rounded(sorted[Math.floor(share * (sorted.length - 1))] as number));
      const knots = [...new Set([...chosen, identical])].sort((a, b) => direction * (a - b));
      return [name, { identical, knots }];
    }),
  );

export type Curves = Pick<OpinionModel, 'tools' | 'base' | 'steps'>;

/**
 * Non-negative least squares over the steps of all tools. The gap between the best rated picture and an identical copy
 * is added to the last step of each tool, so that identical pictures score exactly 5.
 */
export const fitCurves = (rows: readonly Opinion[], tools: readonly string[], knots: Knots): Curves => {
  const features = rows.map(({ raw }) => collectFeatures(raw, tools, knots));
  const weights = solve(
    features,
    rows.map(({ opinion }) => opinion),
  );
  const steps: Record<string, number[]> = {};
  let next = 0;
  for (const tool of tools) {
    const count = stepKnots(knots, tool).length;
    steps[tool] = weights.slice(next, next + count).map(rounded);
    next += count;
  }
  return anchorAtIdentical({ tools, base: rounded(weights.at(-1) as number), steps }, knots);
};

const collectFeatures = (raw: Opinion['raw'], tools: readonly string[], knots: Knots): Float64Array =>
  Float64Array.from([...tools.flatMap((tool) => stepShares(knots[tool]?.knots ?? [], raw[tool] as number)), 1]);

const stepKnots = (knots: Knots, tool: string): readonly number[] => (knots[tool]?.knots ?? []).slice(1);

/** Coordinate descent. The last feature is the constant, the only weight that may be negative. */
const solve = (features: readonly Float64Array[], target: readonly number[]): readonly number[] => {
  const size = features[0]?.length ?? 0;
  const products = Array.from({ length: size }, () => new Float64Array(size));
  const right = new Float64Array(size);
  features.forEach((row, n) => {
    for (let i = 0; i < size; i++) {
      const value = row[i] as number;
      if (value === 0) continue;
      right[i] = (right[i] as number) + value * (target[n] as number);
      const line = products[i] as Float64Array;
      for (let j = 0; j < size; j++) line[j] = (line[j] as number) + value * (row[j] as number);
    }
  });
  for (let i = 0; i < size - 1; i++)
    (products[i] as Float64Array)[i] = ((products[i] as Float64Array)[i] as number) + RIDGE;
  const weights = new Float64Array(size);
  for (let round = 0, moved = 1; round < ROUNDS && moved > 1e-7; round++) {
    moved = 0;
    for (let i = 0; i < size; i++) {
      const line = products[i] as Float64Array;
      let rest = right[i] as number;
      for (let j = 0; j < size; j++) rest -= (line[j] as number) * (weights[j] as number);
      const wanted = (weights[i] as number) + rest / ((line[i] as number) || 1);
      const value = i === size - 1 ? wanted : Math.max(0, wanted);
      moved = Math.max(moved, Math.abs(value - (weights[i] as number)));
      weights[i] = value;
    }
  }
  return [...weights];
};

const anchorAtIdentical = (curves: Curves, knots: Knots): Curves => {
  const curveOf = (tool: string) => knots[tool] ?? { identical: Number.NaN, knots: [] };
  // Better contrast lifts vif above an identical picture: the tools whose best knot is the identical one close the gap.
  const ends = curves.tools.filter((tool) => curveOf(tool).knots.at(-1) === curveOf(tool).identical);
  const closing = ends.length > 0 ? ends : curves.tools;
  const reached = curves.tools.reduce(
    (sum, tool) => sum + lift(curveOf(tool).knots, curves.steps[tool] ?? [], curveOf(tool).identical),
    curves.base,
  );
  const missing = 5 - reached;
  if (missing < 0) return { ...curves, base: curves.base + missing };
  const steps = Object.entries(curves.steps).map(([tool, own]) => {
    const last = curveOf(tool).knots.indexOf(curveOf(tool).identical) - 1;
    return [tool, closing.includes(tool) ? own.with(last, (own[last] as number) + missing / closing.length) : own];
  });
  return { ...curves, steps: Object.fromEntries(steps) };
};

const rounded = (value: number): number => Number(value.toPrecision(6));
