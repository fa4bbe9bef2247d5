import type { Profile } from './profile.ts';
import type { SearchIndex } from './search-index.ts';

export type Purpose = Profile['purpose'][number];

/** The weights of a tool's words in a catalogue. */
export interface Worths {
  /** By position in the purpose: the word's general weight times its inverse document frequency. */
  readonly purpose: Float64Array;
  /** By position in the name: inverse document frequency. */
  readonly name: Float64Array;
}

/** Memoised until the catalogue changes, as only that changes rarities. */
export const worthsOf = (profile: Profile, { rarity, revision }: Pick<SearchIndex, 'rarity' | 'revision'>): Worths => {
  const known = kept.get(profile);
  if (known !== undefined && known.rarity === rarity && known.revision === revision) return known.worths;
  const worths = {
    purpose: new Float64Array(profile.purpose.map(({ term, worth }) => worth * rarity(term))),
    name: new Float64Array(profile.name.map(rarity)),
  };
  kept.set(profile, { rarity, revision, worths });
  return worths;
};

interface Kept {
  readonly rarity: SearchIndex['rarity'];
  readonly revision: number;
  readonly worths: Worths;
}
const kept = new WeakMap<Profile, Kept>();
