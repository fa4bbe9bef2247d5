import type { Features } from './features.ts';

/** What each feature is worth when candidates are compared; learnt by `npm run bench -- decide --learn`. */
export const RANKING: Readonly<Record<keyof Features, number>> = {
  text: 2.35,
  meaning: 0.46,
  covered: 0.11,
  subject: 2.4,
  distinct: 1.33,
  purpose: 3.86,
  phrases: 2.53,
  intent: 0.38,
  scenario: 1.92,
  name: 1.44,
  nearness: 3.12,
  missing: -0.88,
  sure: 0,
};

/** What each feature says about whether the best candidate fits at all, and the level from which it does. */
export const FITTING: Readonly<Record<keyof Features, number>> & { readonly bias: number } = {
  text: 0.58,
  meaning: 0.58,
  covered: 0.02,
  subject: 0.41,
  distinct: 0.88,
  purpose: 1.42,
  phrases: 0.31,
  intent: 0.39,
  scenario: 0.21,
  name: 1.09,
  nearness: -0.26,
  missing: -2.1,
  sure: 0.87,
  bias: -1.9700000000000002,
};

export const weighed = (features: Features, weights: Readonly<Record<keyof Features, number>>): number => {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof Features)[]) sum += features[name] * weights[name];
  return sum;
};
