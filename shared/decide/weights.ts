import type { Features } from './features.ts';

/** What each feature is worth when candidates are compared; learnt by `npm run bench -- decide --learn`. */
export const RANKING: Readonly<Record<keyof Features, number>> = {
  text: 2.45,
  meaning: 0.54,
  subject: 2.36,
  distinct: 1.49,
  purpose: 3.6,
  phrases: 2.49,
  intent: 0.38,
  scenario: 1.86,
  name: 1.39,
  nearness: 2.6,
  missing: 0.45,
  sure: 2.23,
  undemanding: 1.67,
};

/** What each feature says about whether the best candidate fits at all, and the level from which it does. */
export const FITTING: Readonly<Record<keyof Features, number>> & { readonly bias: number } = {
  text: 1.09,
  meaning: 0.46,
  subject: 1.27,
  distinct: -0.22,
  purpose: 3.1,
  phrases: 0.36,
  intent: 0.33,
  scenario: 0.28,
  name: 1.39,
  nearness: -0.56,
  missing: -2.34,
  sure: 1.43,
  undemanding: 1.05,
  bias: -2.21,
};

export const weighed = (features: Features, weights: Readonly<Record<keyof Features, number>>): number => {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof Features)[]) sum += features[name] * weights[name];
  return sum;
};
