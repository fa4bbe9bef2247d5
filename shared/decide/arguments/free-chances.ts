import type { Extraction } from './extract.ts';
import type { Leaf } from './leaves.ts';
import { overlap } from './proposal.ts';
import type { Offer } from './settle.ts';

/** For each parameter, the probability that it is right if all others are, whose words it cannot take. */
export const freeChances = (
  leaves: readonly Leaf[],
  offers: readonly (readonly Offer[])[],
  settled: ReadonlyMap<Leaf, Extraction>,
): ReadonlyMap<string, number> => {
  const chances = new Map<string, number>();
  for (const [at, leaf] of leaves.entries()) {
    const own = settled.get(leaf);
    const taken = [...settled].flatMap(([other, value]) => (other === leaf || isShared(value) ? [] : (value.at ?? [])));
    const list = offers[at] ?? [];
    const none = 1 - list.reduce((sum, { probability }) => sum + probability, 0);
    const left = list
      .filter(({ proposal }) => proposal.shares || !taken.some((place) => overlap(place, proposal)))
      .filter(({ proposal }) => proposal.value !== own?.value)
      .reduce((sum, { probability }) => sum + probability, 0);
    const meant = own?.confidence ?? none;
    const others = own === undefined ? left : left + Math.max(none, 0);
    const [name = ''] = leaf.path;
    const chance = Math.min(Math.max(meant / (meant + others || 1), 0.001), 0.999);
    chances.set(name, (chances.get(name) ?? 1) * chance);
  }
  return chances;
};

/** Whether other slots may take the same words, as with choices and booleans. */
const isShared = ({ source }: Extraction): boolean =>
  source === 'choice' || source === 'near_choice' || source === 'boolean' || source === 'near_boolean';
