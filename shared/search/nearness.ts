import type { Asked, Features, Measure } from './features.ts';
import type { Profile } from './profile.ts';
import { isIn } from './request.ts';
import { knownWords } from './word-vectors.ts';
import type { Purpose } from './worths.ts';

/** What needs meanings compared one by one; for the better candidates only. */
export const meaningFeatures = (measure: Measure, profile: Profile): Pick<Features, 'name' | 'nearness' | 'reach'> => ({
  name: nameMatch(measure, profile),
  ...nearness(measure, profile),
});

/** The same words stand in the purposes of many candidates. */
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
  const words = knownWords();
  let total = 0;
  let matched = 0;
  for (const [place, term] of profile.name.entries()) {
    let best = request.said.has(term) ? 1 : 0;
    if (best === 0) for (const near of nearTo(words.number(term) ?? -1)) best = Math.max(best, near);
    const rarity = name[place] as number;
    total += rarity;
    matched += rarity * Math.max(0, (best - 0.3) / 0.7);
  }
  return total === 0 ? 0 : matched / total;
};

const nearness = (
  { worths, nearTo, asked, totals }: Measure,
  profile: Profile,
): Pick<Features, 'nearness' | 'reach'> => {
  const { purpose } = profile;
  const near = purpose.map(({ number }) => nearTo(number));
  const reached = new Float64Array(purpose.length);
  let covered = 0;
  for (let at = 0; at < asked.length; at++) {
    const each = asked[at] as Asked;
    let best = isIn(each.term, profile.all) ? 1 : 0;
    for (let place = 0; at < NEAR_TERMS && place < purpose.length; place++) {
      const isSame = each.term.term === (purpose[place] as Purpose).term;
      const similarity = isSame ? 1 : ((near[place] as Float64Array)[at] as number);
      if (similarity > best) best = similarity;
      if (similarity > (reached[place] as number)) reached[place] = similarity;
    }
    covered += each.subject * best * best;
  }
  let all = 0;
  let met = 0;
  for (const [place, worth] of worths(profile).purpose.entries()) {
    all += worth;
    met += worth * (reached[place] as number) ** 2;
  }
  return { nearness: totals.subject === 0 ? 0 : covered / totals.subject, reach: all === 0 ? 0 : met / all };
};

const NEAR_TERMS = 24;
