import { agreement } from './intents.ts';
import type { Leads } from './leads.ts';
import type { Profile } from './profile.ts';
import { isIn, type Request, type RequestTerm } from './request.ts';
import { type Similarity, similaritiesTo } from './request-vectors.ts';
import type { Shares } from './scenarios.ts';
import type { SearchIndex } from './search-index.ts';
import { knownWords } from './word-vectors.ts';

/** How a tool fits a request, each between 0 and about 1 (intent: -1 to 1). */
export interface Features extends Leads {
  /** The index's score, beside that of the best candidate. */
  readonly text: number;
  /** How near the meanings are as a whole. */
  readonly meaning: number;
  /** How much of the request the tool's text covers, leaving out words that any request has. */
  readonly subject: number;
  /** The same of all words, counting most the words that few of the candidates have. */
  readonly distinct: number;
  /** How much of the tool's purpose the request mentions. */
  readonly purpose: number;
  /** How telling the most telling word is that both have. */
  readonly telling: number;
  /** Terms side by side in both. */
  readonly phrases: number;
  readonly intent: number;
  readonly scenario: number;
  /** How much of the tool's name is in the request, by meaning. */
  readonly name: number;
  /** How near the subject of the request comes to the tool's purpose, word by word. */
  readonly nearness: number;
  /** How near the tool's purpose comes to the request, word by word. */
  readonly reach: number;
  /** Share of the required parameters that the request does not give. */
  readonly missing: number;
  /** How surely the required parameters were found. */
  readonly sure: number;
  /** 1 when no parameter is required, so that the two before say nothing. */
  readonly undemanding: number;
  /** How much of the request the tool's text and the values taken for it explain together. */
  readonly explained: number;
  /** How many of the values are of a kind that few parameters take: units, currencies, paths, addresses, dates, choices. */
  readonly typed: number;
  /** 1 when the request has the tool's own name, less when that is an ordinary word. */
  readonly called: number;
  /** `sentence`, less for long requests. */
  readonly similarity: number;
  /** The cosine to the nearest sentence by the sentence encoder; 0 for all candidates where there is none. */
  readonly sentence: number;
}

/** What all candidates of a request are measured by. */
export interface Measure {
  readonly request: Request;
  readonly rarity: (term: string) => number;
  /** The rarity of a word that a single tool has. */
  readonly rarest: number;
  readonly intent: string | undefined;
  readonly scenarios: Shares;
  /** The terms of the request, those first that say most about the subject, with what each counts. */
  readonly asked: readonly Asked[];
  /** By the sentence encoder, for every candidate; absent where it did not read them all. */
  readonly similarities: ReadonlyMap<string, Similarity> | undefined;
  /** What all of them count together. */
  readonly totals: { readonly subject: number; readonly distinct: number };
}

interface Asked {
  readonly term: RequestTerm;
  /** What the term says about the subject in this catalogue. */
  readonly subject: number;
  /** How well it tells the candidates from one another. */
  readonly distinct: number;
  /** The term's number among the known words, -1 for an unknown one. */
  readonly number: number;
}

export const measureFor = (
  request: Request,
  index: Pick<SearchIndex, 'rarity' | 'size' | 'vectors'>,
  profiles: readonly Profile[],
  known: Pick<Measure, 'intent' | 'scenarios'>,
): Measure => {
  const rarities = new Map<string, number>();
  const rarity = (term: string): number => {
    const before = rarities.get(term);
    if (before !== undefined) return before;
    const value = index.rarity(term);
    rarities.set(term, value);
    return value;
  };
  const near = profiles.slice(0, SHARED);
  const words = knownWords();
  const asked = request.byTopic.map((term) => ({
    term,
    subject: term.topical * rarity(term.term),
    distinct: term.weight * distinction(near.filter(({ all }) => isIn(term, all)).length, near.length),
    number: words.number(term.same[0] ?? term.term) ?? -1,
  }));
  const totals = {
    subject: asked.reduce((sum, { subject }) => sum + subject, 0),
    distinct: asked.reduce((sum, { distinct }) => sum + distinct, 0),
  };
  const rarest = Math.log(1 + Math.max(index.size - 0.5, 0.5) / 1.5);
  const names = profiles.map(({ tool }) => tool.name);
  const similarities = similaritiesTo(request, names, index.vectors);
  return { ...known, request, rarity, rarest, asked, totals, similarities };
};

/** What can be told by looking words up; cheap enough for every candidate. */
export const wordFeatures = (measure: Measure, profile: Profile, text: number): Features => {
  const { request, rarity } = measure;
  return {
    text,
    meaning: dot(request.direction, profile.direction),
    ...covered(measure, profile),
    purpose: share(
      profile.purpose,
      ({ term, worth }) => worth * rarity(term),
      ({ term }) => request.said.has(term),
    ),
    phrases: Math.min(count(request.pairs, profile.pairs), 4) / 2,
    intent: agreement(measure.intent, profile.intent),
    scenario: overlap(measure.scenarios, profile.scenarios),
    name: 0,
    nearness: 0,
    reach: 0,
    missing: 0,
    sure: 0,
    undemanding: 0,
    explained: 0,
    typed: 0,
    called: calledIn(request.text.toLowerCase(), profile),
    ...UNREAD,
    ...measure.similarities?.get(profile.tool.name),
  };
};

/** The name as it is, or with blanks for its marks, as words of its own. */
const calledIn = (text: string, { called }: Profile): number => {
  for (const form of called.forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      if (!WORD.test(text[at - 1] ?? ' ') && !WORD.test(text[at + form.length] ?? ' ')) return called.worth;
    }
  }
  return 0;
};
const WORD = /[a-z\d_]/u;

/** What needs meanings compared one by one; for the better candidates only. */
export const meaningFeatures = (measure: Measure, profile: Profile): Pick<Features, 'name' | 'nearness' | 'reach'> => ({
  name: nameMatch(measure, profile),
  ...nearness(measure, profile),
});

const UNREAD = { similarity: 0, sentence: 0, likest: 0, nearest: 0 };
const SHARED = 12;
const NEAR_TERMS = 24;

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

/** How much of the request the tool's text has. */
const covered = (
  { asked, totals, rarest }: Measure,
  profile: Profile,
): Pick<Features, 'subject' | 'distinct' | 'telling'> => {
  let [subject, distinct, telling] = [0, 0, 0];
  for (const each of asked) {
    if (!isIn(each.term, profile.all)) continue;
    subject += each.subject;
    distinct += each.distinct;
    if (each.subject > telling) telling = each.subject;
  }
  return {
    subject: totals.subject === 0 ? 0 : subject / totals.subject,
    distinct: totals.distinct === 0 ? 0 : distinct / totals.distinct,
    telling: telling / rarest,
  };
};

/** Inverse frequency among the candidates; words that none of them has tell none from another. */
const distinction = (having: number, size: number): number =>
  having === 0 ? 0 : Math.log(1 + (size - having + 0.5) / (having + 0.5));

const nameMatch = ({ request, rarity, asked }: Measure, profile: Profile): number => {
  const words = knownWords();
  let total = 0;
  let matched = 0;
  for (const term of profile.name) {
    const number = words.number(term) ?? -1;
    let best = request.said.has(term) ? 1 : 0;
    if (best === 0) for (const other of asked) best = Math.max(best, words.between(number, other.number));
    total += rarity(term);
    matched += rarity(term) * Math.max(0, (best - 0.3) / 0.7);
  }
  return total === 0 ? 0 : matched / total;
};

const nearness = ({ rarity, asked, totals }: Measure, profile: Profile): Pick<Features, 'nearness' | 'reach'> => {
  const words = knownWords();
  const { purpose } = profile;
  const reached = new Float64Array(purpose.length);
  let near = 0;
  for (let at = 0; at < asked.length; at++) {
    const each = asked[at] as Asked;
    let best = isIn(each.term, profile.all) ? 1 : 0;
    for (let place = 0; at < NEAR_TERMS && place < purpose.length; place++) {
      const { term, number } = purpose[place] as Profile['purpose'][number];
      const similarity = each.term.term === term ? 1 : words.between(each.number, number);
      if (similarity > best) best = similarity;
      if (similarity > (reached[place] ?? 0)) reached[place] = similarity;
    }
    near += each.subject * best * best;
  }
  let all = 0;
  let met = 0;
  for (const [place, { term, worth }] of purpose.entries()) {
    const weight = worth * rarity(term);
    all += weight;
    met += weight * (reached[place] ?? 0) ** 2;
  }
  return { nearness: totals.subject === 0 ? 0 : near / totals.subject, reach: all === 0 ? 0 : met / all };
};

const overlap = (one: Shares, other: Shares): number => {
  let sum = 0;
  for (const [id, part] of one) sum += Math.min(part, other.get(id) ?? 0);
  return sum;
};

const count = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let both = 0;
  for (const each of one) if (other.has(each)) both++;
  return both;
};

export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};
