import type { Asked, Measure } from './features.ts';
import type { Profile } from './profile.ts';
import { isIn } from './request.ts';
import { brevity } from './request-vectors.ts';

interface Ranked {
  readonly profile: Profile;
  readonly score: number;
}

/**
 * Re-ranks for a long request, which usually has several wishes: a tool that matches the same words as a better one
 * moves below the best tools for the other wishes. Short requests have one wish and keep their order.
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

/** The positions in `asked` of the terms that a tool has. */
const wordsOf = ({ all }: Profile, asked: readonly Asked[]): readonly number[] =>
  asked.flatMap(({ term }, place) => (isIn(term, all) ? [place] : []));

/** The weighted share of a tool's request terms that better tools have too. */
const shareMet = (words: readonly number[], met: Uint8Array, asked: readonly Asked[]): number => {
  let [all, again] = [0, 0];
  for (const place of words) {
    const { subject } = asked[place] as Asked;
    all += subject;
    if (met[place] === 1) again += subject;
  }
  return all === 0 ? 0 : again / all;
};

/** The penalty for a tool whose request terms better tools all have; chosen on the development halves. */
const REPEATED = 2;
