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

/** Features of a tool for a request, most between 0 and about 1 (`intent`: -1 to 1, `phrases`: 0 to 2). */
export interface Features extends Leads {
  /** The index score, divided by that of the best candidate. */
  readonly text: number;
  /** Cosine of the word-vector directions of the request and the tool. */
  readonly meaning: number;
  /** Share of the request's terms that the tool's text covers, by topical weight and inverse document frequency. */
  readonly subject: number;
  /** The same, with inverse document frequency among the first candidates. */
  readonly distinct: number;
  /** How much of the tool's purpose the request mentions. */
  readonly purpose: number;
  /** The highest weight (as in `subject`) of a term that both have. */
  readonly telling: number;
  /** Half the number of shared term bigrams, of which at most 4 count. */
  readonly phrases: number;
  readonly intent: number;
  readonly scenario: number;
  /** Share of the tool's name that the request matches, by word similarity. */
  readonly name: number;
  /** Similarity of each request term to the nearest term of the tool's purpose, as a weighted mean of squares. */
  readonly nearness: number;
  /** The reverse: similarity of each term of the tool's purpose to the nearest term of the request. */
  readonly reach: number;
  /** Share of the required parameters that the request does not give. */
  readonly missing: number;
  /** Mean confidence of the values of the required parameters; a missing one counts 0. */
  readonly sure: number;
  /** 1 when no parameter is required, which leaves `missing` and `sure` without meaning. */
  readonly undemanding: number;
  /** Share of the request's words that are in the tool's text or in an extracted value. */
  readonly explained: number;
  /** Values of distinctive kinds (units, currencies, paths, addresses, dates, choices); three sure ones give 1. */
  readonly typed: number;
  /** 1 when the request contains the tool's name, less when the name is an ordinary word. */
  readonly called: number;
  /** `sentence`, scaled down for long requests. */
  readonly similarity: number;
  /** Highest cosine with a sentence of the request, by the sentence encoder; 0 for all candidates without it. */
  readonly sentence: number;
}

/** What the features of all candidates of a request are computed from. */
export interface Measure {
  readonly request: Request;
  /** The weights of the terms of a tool's purpose and name in this catalogue. */
  readonly worths: (profile: Profile) => Worths;
  /** The similarity of a word, by its vocabulary number, to each term of `asked`, in order. */
  readonly nearTo: (number: number) => Float64Array;
  /** The request in lower case. */
  readonly lower: string;
  /** The inverse document frequency of a term that only one tool has. */
  readonly rarest: number;
  readonly intent: string | undefined;
  readonly scenarios: Shares;
  /** The terms of the request with their weights, the most topical first. */
  readonly asked: readonly Asked[];
  /** Encoder similarity of every candidate; undefined unless all of them were encoded. */
  readonly similarities: ReadonlyMap<string, Similarity> | undefined;
  /** The sums of the weights of `asked`. */
  readonly totals: { readonly subject: number; readonly distinct: number };
}

export interface Asked {
  readonly term: RequestTerm;
  /** Topical weight times inverse document frequency in this catalogue. */
  readonly subject: number;
  /** Query weight times inverse document frequency among the first candidates. */
  readonly distinct: number;
  /** The term's vocabulary number, -1 if it is unknown. */
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

/** The features that need only word lookups, cheap enough for every candidate. */
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

/** Looks for the name on word boundaries, as written or with spaces for its punctuation. */
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

/** How much of the request the tool's text covers. */
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

/** Inverse document frequency among the candidates; 0 for a term of none of them, as it distinguishes nothing. */
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
