import type { Features } from './features.ts';

/** What each feature is worth when candidates are compared; learnt by `npm run bench -- decide --learn`. */
export const RANKING: Readonly<Record<keyof Features, number>> = {
  text: 1.43,
  meaning: 2.3,
  subject: 1.75,
  distinct: 0.5,
  purpose: 1.96,
  telling: 1.16,
  phrases: 2.74,
  intent: 0.36,
  scenario: 1.42,
  name: 1.11,
  nearness: 3.08,
  reach: 2.17,
  missing: 0.32,
  sure: 2.22,
  undemanding: 1.66,
};

/** What each feature says about whether the best candidate fits at all, and the level from which it does. */
export const FITTING: Readonly<Record<keyof Features, number>> & { readonly bias: number } = {
  text: 0.57,
  meaning: 1.55,
  subject: 0.87,
  distinct: -0.71,
  purpose: 1.18,
  telling: 2.87,
  phrases: 0.52,
  intent: 0.44,
  scenario: 0.38,
  name: 1.02,
  nearness: -1.61,
  reach: 0.45,
  missing: -2.68,
  sure: 1.56,
  undemanding: 0.87,
  bias: -3.05,
};

export const weighed = (features: Features, weights: Readonly<Record<keyof Features, number>>): number => {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof Features)[]) sum += features[name] * weights[name];
  return sum;
};
