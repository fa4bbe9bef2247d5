import type { Asked, Measure } from './features.ts';
import type { Profile } from './profile.ts';
import { isIn } from './request.ts';
import { brevity } from './request-vectors.ts';

interface Ranked {
  readonly profile: Profile;
  readonly score: number;
}

/**
 * Ranks again for a long request, which mostly has several wishes in a row: after the best tool for one of them, those
 * that have the same words as it come after the best for the others. Short requests have one wish and stay as they are.
 */
export const spreadOverWishes = <T extends Ranked>(
  list: readonly T[],
  { request, asked }: Pick<Measure, 'request' | 'asked'>,
): readonly T[] => {
  const repeated = REPEATED * (1 - brevity(request.words.length));
  if (repeated === 0) return list;
  const met = new Uint8Array(asked.length);
  const left = list.map((each) => ({ each, words: wordsOf(each.profile, asked) }));
  const order: T[] = [];
  for (let last = Number.POSITIVE_INFINITY; left.length > 0; ) {
    let [best, highest] = [0, Number.NEGATIVE_INFINITY];
    for (const [at, { each, words }] of left.entries()) {
      const score = each.score - repeated * shareMet(words, met, asked);
      if (score > highest) [best, highest] = [at, score];
    }
    const [{ each, words } = left[0] as (typeof left)[number]] = left.splice(best, 1);
    for (const place of words) met[place] = 1;
    last = Math.min(last, highest);
    order.push({ ...each, score: last });
  }
  return order;
};

/** The places of the words of a request that a tool has. */
const wordsOf = ({ all }: Profile, asked: readonly Asked[]): readonly number[] =>
  asked.flatMap(({ term }, place) => (isIn(term, all) ? [place] : []));

/** How much of what a tool has of a request other tools have too. */
const shareMet = (words: readonly number[], met: Uint8Array, asked: readonly Asked[]): number => {
  let [all, again] = [0, 0];
  for (const place of words) {
    const { subject } = asked[place] as Asked;
    all += subject;
    if (met[place] === 1) again += subject;
  }
  return all === 0 ? 0 : again / all;
};

/** What a tool loses of its score that has only words which better tools have; chosen on the development halves. */
const REPEATED = 2;
