import table from '../../../metadata/arguments.json' with { type: 'json' };
import {
  describeNone,
  describeProposal,
  describeUnused,
  type Ranked,
  type Surroundings,
  type Weights,
} from './proposal-features.ts';
import type { Slot } from './slot.ts';

/** Learnt from requests whose arguments are known, by `npm run fit`. */
export const WEIGHTS: Weights = Object.assign(Object.create(null), table.weights);

/** How much speaks for a proposal, and against leaving its words unused. */
export const scoreOf = (slot: Slot, ranked: Ranked, around: Surroundings): number => {
  let score = 0;
  const { weights } = around;
  describeUnused(ranked.proposal, around, (feature, value) => {
    score -= value * (weights[feature] ?? 0);
  });
  describeProposal(slot, ranked, around, (feature, value) => {
    // Many are 0, and need no weight.
    if (value !== 0) score += value * (weights[feature] ?? 0);
  });
  return score;
};

/** How much speaks for leaving a slot open. */
export const scoreOfNone = (slot: Slot, around: Surroundings): number => {
  let score = 0;
  describeNone(slot, around, (feature, value) => {
    score += value * (around.weights[feature] ?? 0);
  });
  return score;
};
