import type { SearchIndex } from '../registry/search.ts';
import { agreement } from './intents.ts';
import type { Profile } from './profile.ts';
import type { Request } from './request.ts';
import type { Shares } from './scenarios.ts';
import { knownWords } from './words.ts';

/** How a tool fits a request, each between 0 and about 1 (agreement: -1 to 1). */
export interface Features {
  /** The index's score, beside that of the best candidate. */
  readonly text: number;
  /** How near the meanings are as a whole. */
  readonly meaning: number;
  /** How much of the request the tool's text covers. */
  readonly covered: number;
  /** The same, leaving out words that any request has. */
  readonly subject: number;
  /** How much of the tool's purpose the request mentions. */
  readonly purpose: number;
  /** Terms side by side in both. */
  readonly phrases: number;
  /** How much of the tool's name is in the request, by meaning. */
  readonly name: number;
  readonly intent: number;
  readonly scenario: number;
  /** How near the subject of the request comes to the tool's purpose, word by word. */
  readonly nearness: number;
}

export const featuresOf = (
  request: Request,
  profile: Profile,
  context: {
    readonly index: SearchIndex;
    readonly text: number;
    readonly intent: string | undefined;
    readonly scenarios: Shares;
  },
): Features => {
  const { index } = context;
  const asked = new Set(request.terms.map(({ term }) => term));
  return {
    text: context.text,
    meaning: dot(request.direction, profile.direction),
    covered: share(
      request.terms,
      ({ term, weight }) => weight * index.rarity(term),
      ({ term }) => profile.all.has(term),
    ),
    subject: share(
      request.terms,
      ({ term, topical }) => topical * index.rarity(term),
      ({ term }) => profile.all.has(term),
    ),
    purpose: share(
      [...profile.subject],
      (term) => knownWords().worth(term) * index.rarity(term),
      (term) => asked.has(term),
    ),
    phrases: Math.min([...request.pairs].filter((pair) => profile.pairs.has(pair)).length, 4) / 2,
    name: nameMatch(request, profile, index),
    intent: agreement(context.intent, profile.intent),
    scenario: overlap(context.scenarios, profile.scenarios),
    nearness: nearness(request, profile, index),
  };
};

const share = <T>(items: readonly T[], weigh: (item: T) => number, holds: (item: T) => boolean): number => {
  let total = 0;
  let held = 0;
  for (const item of items) {
    const weight = weigh(item);
    total += weight;
    if (holds(item)) held += weight;
  }
  return total === 0 ? 0 : held / total;
};

const nameMatch = (request: Request, profile: Profile, index: SearchIndex): number => {
  const words = knownWords();
  let total = 0;
  let matched = 0;
  for (const term of profile.name) {
    const rarity = index.rarity(term);
    let best = 0;
    for (const asked of request.terms) best = Math.max(best, words.similarity(term, asked.term));
    total += rarity;
    matched += rarity * Math.max(0, (best - 0.3) / 0.7);
  }
  return total === 0 ? 0 : matched / total;
};

const nearness = (request: Request, profile: Profile, index: SearchIndex): number => {
  const words = knownWords();
  let total = 0;
  let near = 0;
  for (const { term, topical } of request.terms) {
    const weight = topical * index.rarity(term);
    total += weight;
    let best = profile.all.has(term) ? 1 : 0;
    if (best === 0) for (const other of profile.subject) best = Math.max(best, words.similarity(term, other));
    near += weight * best * best;
  }
  return total === 0 ? 0 : near / total;
};

const overlap = (one: Shares, other: Shares): number => {
  let sum = 0;
  for (const [id, part] of one) sum += Math.min(part, other.get(id) ?? 0);
  return sum;
};

const dot = (one: Float64Array, other: Float64Array): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};
