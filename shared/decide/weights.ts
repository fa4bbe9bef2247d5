import type { Features } from './features.ts';

/** What each feature is worth when candidates are compared; learnt by `npm run bench -- decide --learn`. */
export const RANKING: Readonly<Record<keyof Features, number>> = {
  text: 2.34,
  meaning: 0.71,
  subject: 2.4,
  distinct: 0.86,
  purpose: 2.16,
  phrases: 2.43,
  intent: 0.33,
  scenario: 2.05,
  name: 1.06,
  nearness: 3.1,
  reach: 2.32,
  missing: 0.48,
  sure: 2.26,
  undemanding: 1.61,
};

/** What each feature says about whether the best candidate fits at all, and the level from which it does. */
export const FITTING: Readonly<Record<keyof Features, number>> & { readonly bias: number } = {
  text: 0.97,
  meaning: 0.26,
  subject: 1.49,
  distinct: -0.19,
  purpose: 1.72,
  phrases: 0.36,
  intent: 0.34,
  scenario: 0.3,
  name: 1.26,
  nearness: -0.75,
  reach: 1.87,
  missing: -2.38,
  sure: 1.35,
  undemanding: 1.02,
  bias: -2.21,
};

export const weighed = (features: Features, weights: Readonly<Record<keyof Features, number>>): number => {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof Features)[]) sum += features[name] * weights[name];
  return sum;
};
