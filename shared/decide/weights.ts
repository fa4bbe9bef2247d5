import type { Features } from './features.ts';

/** What each feature is worth when candidates are compared; learnt by `npm run bench -- decide --learn`. */
export const RANKING: Readonly<Record<keyof Features, number>> = {
  text: 2.26,
  meaning: 0.73,
  subject: 2.44,
  distinct: 0.83,
  purpose: 2.11,
  phrases: 2.5,
  intent: 0.32,
  scenario: 2.02,
  name: 1.1,
  nearness: 3.2,
  reach: 2.35,
  missing: 0.52,
  sure: 2.42,
  undemanding: 1.71,
};

/** What each feature says about whether the best candidate fits at all, and the level from which it does. */
export const FITTING: Readonly<Record<keyof Features, number>> & { readonly bias: number } = {
  text: 0.96,
  meaning: 0.15,
  subject: 1.52,
  distinct: -0.17,
  purpose: 1.7,
  phrases: 0.37,
  intent: 0.36,
  scenario: 0.34,
  name: 1.27,
  nearness: -0.7,
  reach: 1.92,
  missing: -2.55,
  sure: 1.17,
  undemanding: 0.92,
  bias: -2.13,
};

export const weighed = (features: Features, weights: Readonly<Record<keyof Features, number>>): number => {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof Features)[]) sum += features[name] * weights[name];
  return sum;
};
