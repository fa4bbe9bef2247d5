import type { Asked, Features, Measure } from './features.ts';
import type { Profile } from './profile.ts';
import { isIn } from './request.ts';
import { knownWords, numbersOf } from './word-vectors.ts';
import type { Purpose } from './worths.ts';

/** The features that compare words pairwise; computed for the better candidates only. */
export const meaningFeatures = (measure: Measure, profile: Profile): Pick<Features, 'name' | 'nearness' | 'reach'> => ({
  name: nameMatch(measure, profile),
  ...nearness(measure, profile),
});

/** Memoised by word, because the purposes of many candidates share words. */
export const nearnessTo = (asked: readonly Asked[]): Measure['nearTo'] => {
  const words = knownWords();
  const known = new Map<number, Float64Array>();
  return (number) => {
    let near = known.get(number);
    if (near === undefined) {
      near = new Float64Array(asked.length);
      for (let at = 0; at < asked.length; at++) near[at] = words.between((asked[at] as Asked).number, number);
      known.set(number, near);
    }
    return near;
  };
};

const nameMatch = ({ request, worths, nearTo }: Measure, profile: Profile): number => {
  const { name } = worths(profile);
  const numbers = numbersOf(profile.name);
  let total = 0;
  let matched = 0;
  for (let place = 0; place < numbers.length; place++) {
    let best = request.said.has(profile.name[place] as string) ? 1 : 0;
    const number = numbers[place] as number;
    if (best === 0 && number >= 0) for (const near of nearTo(number)) if (near > best) best = near;
    const rarity = name[place] as number;
    total += rarity;
    matched += rarity * Math.max(0, (best - 0.3) / 0.7);
  }
  return total === 0 ? 0 : matched / total;
};

const nearness = (
  { request, worths, nearTo, asked, totals }: Measure,
  profile: Profile,
): Pick<Features, 'nearness' | 'reach'> => {
  const { purpose } = profile;
  const compared = Math.min(asked.length, NEAR_TERMS);
  const reached = new Float64Array(purpose.length);
  const nearest = new Float64Array(asked.length);
  for (let at = 0; at < asked.length; at++) nearest[at] = isIn((asked[at] as Asked).term, profile.all) ? 1 : 0;
  for (let place = 0; place < purpose.length; place++) {
    const { term, number } = purpose[place] as Purpose;
    const near = nearTo(number);
    let best = 0;
    for (let at = 0; at < compared; at++) {
      const similarity = near[at] as number;
      if (similarity > best) best = similarity;
      if (similarity > (nearest[at] as number)) nearest[at] = similarity;
    }
    // An unknown word has no vector and matches only itself; `nearest` counts it already, as the tool has it.
    if (number < 0 && request.said.has(term) && isAsked(term, asked, compared)) best = 1;
    reached[place] = best;
  }
  let covered = 0;
  for (let at = 0; at < asked.length; at++)
    covered += (asked[at] as Asked).subject * (nearest[at] as number) * (nearest[at] as number);
  let all = 0;
  let met = 0;
  for (const [place, worth] of worths(profile).purpose.entries()) {
    all += worth;
    met += worth * (reached[place] as number) ** 2;
  }
  return { nearness: totals.subject === 0 ? 0 : covered / totals.subject, reach: all === 0 ? 0 : met / all };
};

const isAsked = (term: string, asked: readonly Asked[], compared: number): boolean =>
  asked.slice(0, compared).some((each) => each.term.term === term);

const NEAR_TERMS = 24;
