import type { Features } from './features.ts';

/** How close a candidate is to the best: 1 for the best, near 0 far behind; 0 for all without the sentence encoder. */
export interface Leads {
  /** The lead by `sentence`. */
  readonly likest: number;
  /** The lead by `nearness`. */
  readonly nearest: number;
}

const TAKEN_FROM = { likest: 'sentence', nearest: 'nearness' } as const satisfies Record<keyof Leads, keyof Features>;

/**
 * Adds a lead to the features of all candidates: absolute similarities vary between requests, so the margin to the best
 * candidate says more. It did not improve ranking by words alone, so it is added only where the encoder was used.
 */
export const withLead = <T extends { readonly features: Features }>(
  list: readonly T[],
  lead: keyof Leads,
): readonly T[] => {
  if (list.every(({ features }) => features.sentence === 0)) return list;
  const from = TAKEN_FROM[lead];
  const best = Math.max(...list.map(({ features }) => features[from]));
  return list.map((each) => ({
    ...each,
    features: { ...each.features, [lead]: Math.exp(-STEEPNESS * (best - each.features[from])) },
  }));
};

/** A candidate whose similarity is 1/12 below the best has a lead of 1/e, about a third. */
const STEEPNESS = 12;
