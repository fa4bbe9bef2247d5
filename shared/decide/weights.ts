import type { Features } from './features.ts';

/** What each feature is worth when candidates are compared; learnt by `npm run bench -- decide --learn`. */
export const RANKING: Readonly<Record<keyof Features, number>> = {
  text: 2.45,
  meaning: 0.54,
  subject: 2.37,
  distinct: 1.51,
  purpose: 3.62,
  phrases: 2.46,
  intent: 0.38,
  scenario: 1.89,
  name: 1.38,
  nearness: 2.62,
  missing: 0.49,
  sure: 2.29,
  undemanding: 1.76,
};

/** What each feature says about whether the best candidate fits at all, and the level from which it does. */
export const FITTING: Readonly<Record<keyof Features, number>> & { readonly bias: number } = {
  text: 1.12,
  meaning: 0.5,
  subject: 1.19,
  distinct: -0.16,
  purpose: 3.07,
  phrases: 0.35,
  intent: 0.34,
  scenario: 0.28,
  name: 1.24,
  nearness: -0.62,
  missing: -1.86,
  sure: 1.51,
  undemanding: 1.12,
  bias: -2.49,
};

export const weighed = (features: Features, weights: Readonly<Record<keyof Features, number>>): number => {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof Features)[]) sum += features[name] * weights[name];
  return sum;
};
