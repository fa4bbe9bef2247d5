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

/** Fitted on requests with known arguments, by `npm run fit`. */
export const WEIGHTS: Weights = Object.assign(Object.create(null), table.weights);

/** The score of a proposal for a slot, less that of leaving its words unused. */
export const scoreOf = (slot: Slot, ranked: Ranked, around: Surroundings): number => {
  let score = 0;
  const { weights } = around;
  describeUnused(ranked.proposal, around, (feature, value) => {
    score -= value * (weights[feature] ?? 0);
  });
  describeProposal(slot, ranked, around, (feature, value) => {
    // Many features are 0, so their weights are not looked up.
    if (value !== 0) score += value * (weights[feature] ?? 0);
  });
  return score;
};

/** The score of leaving a slot open. */
export const scoreOfNone = (slot: Slot, around: Surroundings): number => {
  let score = 0;
  describeNone(slot, around, (feature, value) => {
    score += value * (around.weights[feature] ?? 0);
  });
  return score;
};
