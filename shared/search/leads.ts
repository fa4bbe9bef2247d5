import type { Features } from './features.ts';

/** How little a candidate is behind the best one: 1 for the best, near 0 far behind. 0 for all without the sentence encoder. */
export interface Leads {
  /** By `sentence`. */
  readonly likest: number;
  /** By `nearness`. */
  readonly nearest: number;
}

const TAKEN_FROM = { likest: 'sentence', nearest: 'nearness' } as const satisfies Record<keyof Leads, keyof Features>;

/**
 * Takes a lead among all candidates. How near a request comes to any tool differs from request to request; which one is
 * nearest says more. Words alone chose no better by it, so it is taken only where the encoder read them.
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

/** Who is a twelfth behind has a third of the lead left. */
const STEEPNESS = 12;
