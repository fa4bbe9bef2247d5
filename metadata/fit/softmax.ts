import type { Choice } from './argument-examples.ts';
import { familyOf } from './folds.ts';
import { generator, shuffle } from './random.ts';

/** Fits weights that make the right options of each choice most likely; deterministic for the same choices. */
export const fitChoices = (choices: readonly Choice[], rounds = ROUNDS): ReadonlyMap<string, number> => {
  const numbers = worthLearning(choices);
  const packed = choices.map(({ options, right, weight }) => {
    const known = options.map((option) => option.filter(([feature]) => numbers.has(feature)));
    return {
      right,
      weight,
      features: known.map((option) => Int32Array.from(option, ([feature]) => numbers.get(feature) ?? 0)),
      values: known.map((option) => Float64Array.from(option, ([, value]) => value)),
    };
  });
  const weights = new Float64Array(numbers.size);
  const squares = new Float64Array(numbers.size).fill(1e-6);
  const sums = new Float64Array(numbers.size);
  const random = generator(7);
  const order = packed.map((_, at) => at);
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    for (const at of order) learn(packed[at] as Packed, weights, squares, packed.length);
    if (round >= rounds / 2) for (const [at, weight] of weights.entries()) sums[at] = (sums[at] ?? 0) + weight;
  }
  // The mean of the later rounds, because the last one alone depends on the order of its last examples.
  const counted = rounds - Math.ceil(rounds / 2);
  return new Map(Array.from(numbers, ([feature, at]) => [feature, (sums[at] ?? 0) / counted]));
};

/** Numbers the features that occur often enough, and with enough tool families, to generalise to other tools. */
const worthLearning = (choices: readonly Choice[]): ReadonlyMap<string, number> => {
  const seen = new Map<string, { count: number; readonly families: Set<string> }>();
  for (const { options, group } of choices) {
    const family = familyOf(group);
    for (const [feature] of options.flat()) {
      const known = seen.get(feature) ?? { count: 0, families: new Set() };
      seen.set(feature, known);
      known.count++;
      known.families.add(family);
    }
  }
  const kept = [...seen].filter(([, { count, families }]) => count >= SEEN && families.size >= FAMILIES);
  return new Map(kept.map(([feature], at) => [feature, at]));
};
const SEEN = 8;
const FAMILIES = 4;

interface Packed {
  readonly right: readonly boolean[];
  readonly weight: number;
  readonly features: readonly Int32Array[];
  readonly values: readonly Float64Array[];
}

/** One AdaGrad step on one choice, with a small L2 penalty. */
const learn = (
  { right, weight, features, values }: Packed,
  weights: Float64Array,
  squares: Float64Array,
  size: number,
): void => {
  const scores = features.map((list, option) => {
    let sum = 0;
    for (let at = 0; at < list.length; at++) sum += (weights[list[at] ?? 0] ?? 0) * (values[option]?.[at] ?? 0);
    return sum;
  });
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, 0);
  const good = powers.reduce((sum, power, at) => sum + (right[at] ? power : 0), 0);
  for (const [option, list] of features.entries()) {
    const power = powers[option] ?? 0;
    const slope = weight * (power / all - (right[option] ? power / good : 0));
    if (Math.abs(slope) < 1e-5) continue;
    for (let at = 0; at < list.length; at++) {
      const feature = list[at] ?? 0;
      const gradient = slope * (values[option]?.[at] ?? 0) + (DECAY / size) * (weights[feature] ?? 0);
      squares[feature] = (squares[feature] ?? 0) + gradient * gradient;
      weights[feature] = (weights[feature] ?? 0) - (RATE * gradient) / Math.sqrt(squares[feature] ?? 1);
    }
  }
};

const ROUNDS = 24;
const RATE = 0.05;
const DECAY = 1;
