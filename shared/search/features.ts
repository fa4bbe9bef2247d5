import { agreement } from './intents.ts';
import type { Leads } from './leads.ts';
import { nearnessTo } from './nearness.ts';
import type { Profile } from './profile.ts';
import { isIn, type Request, type RequestTerm } from './request.ts';
import { type Similarity, similaritiesTo } from './request-vectors.ts';
import type { Shares } from './scenarios.ts';
import type { SearchIndex } from './search-index.ts';
import { knownWords } from './word-vectors.ts';
import { type Purpose, type Worths, worthsOf } from './worths.ts';

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
  /** What the words of a tool's purpose and of its name count in this catalogue. */
  readonly worths: (profile: Profile) => Worths;
  /** How near a known word of a tool comes to each term that was asked for, in their order. */
  readonly nearTo: (number: number) => Float64Array;
  /** The request in small letters. */
  readonly lower: string;
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

export interface Asked {
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
  index: Pick<SearchIndex, 'rarity' | 'size' | 'vectors' | 'revision'>,
  profiles: readonly Profile[],
  known: Pick<Measure, 'intent' | 'scenarios'>,
): Measure => {
  const near = profiles.slice(0, SHARED);
  const words = knownWords();
  const asked = request.byTopic.map((term) => ({
    term,
    subject: term.topical * index.rarity(term.term),
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
  return {
    ...known,
    request,
    lower: request.text.toLowerCase(),
    worths: (profile) => worthsOf(profile, index),
    nearTo: nearnessTo(asked),
    rarest,
    asked,
    totals,
    similarities,
  };
};

/** What can be told by looking words up; cheap enough for every candidate. */
export const wordFeatures = (measure: Measure, profile: Profile, text: number): Features => {
  const { request } = measure;
  return {
    text,
    meaning: dot(request.direction, profile.direction),
    ...covered(measure, profile),
    purpose: mentioned(profile, measure),
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
    called: calledIn(measure.lower, profile),
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

const UNREAD = { similarity: 0, sentence: 0, likest: 0, nearest: 0 };
const SHARED = 12;

/** How much of the tool's purpose the request mentions. */
const mentioned = (profile: Profile, { request, worths }: Measure): number => {
  const { purpose } = worths(profile);
  let total = 0;
  let held = 0;
  for (let place = 0; place < purpose.length; place++) {
    const worth = purpose[place] as number;
    total += worth;
    if (request.said.has((profile.purpose[place] as Purpose).term)) held += worth;
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

const overlap = (one: Shares, other: Shares): number => {
  let sum = 0;
  for (const [id, part] of one) sum += Math.min(part, other.get(id) ?? 0);
  return sum;
};

const count = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  let both = 0;
  for (const each of few) if (many.has(each)) both++;
  return both;
};

export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};
