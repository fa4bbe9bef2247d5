import type { Profile } from './profile.ts';
import type { SearchIndex } from './search-index.ts';

export type Purpose = Profile['purpose'][number];

/** What a tool's words count among the tools of a catalogue. */
export interface Worths {
  /** By place in the purpose: how telling the word is anywhere and in this catalogue. */
  readonly purpose: Float64Array;
  /** By place in the name: how telling it is in this catalogue. */
  readonly name: Float64Array;
}

/** Rarities change with the catalogue alone, so those of a tool's words are looked up once until it does. */
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
