import data from '../../metadata/scenarios.json' with { type: 'json' };
import { lazily } from '../kernel/lazily.ts';
import { splitIdentifier, termOf, termsOf } from './text.ts';
import { knownWords } from './word-vectors.ts';

export interface Scenario {
  readonly id: string;
  readonly name: string;
  readonly chinese: string;
}

/** Scenario id -> its share of a text's votes; shares add up to 1, or the map is empty. */
export type Shares = ReadonlyMap<string, number>;

export const SCENARIOS: readonly Scenario[] = data.scenarios.map(({ id, name, chinese }) => ({ id, name, chinese }));

/** The scenarios that a list of terms votes for; declared ones outweigh the terms. */
export const scenariosOf = (terms: readonly string[], declared: readonly string[] = []): Shares => {
  const sums = new Map<string, number>();
  for (const term of terms) for (const [id, vote] of votesOf(term)) sums.set(id, (sums.get(id) ?? 0) + vote);
  for (const label of declared) {
    const id = scenarioNamed(label);
    if (id !== undefined) sums.set(id, (sums.get(id) ?? 0) + DECLARED_VOTES);
  }
  const total = [...sums.values()].reduce((sum, vote) => sum + vote, 0);
  const shares = [...sums].map(([id, vote]) => [id, vote / total] as const);
  return new Map(shares.sort(([one, share], [other, otherShare]) => otherShare - share || (one < other ? -1 : 1)));
};

/** Whether a term votes for any of these scenarios. */
export const speaksForAny = (term: string, ids: ReadonlySet<string>): boolean =>
  votesOf(term).some(([id]) => ids.has(id));

/** The votes of a term: a listed word votes equally for its scenarios, another one for those of its neighbours. */
const votesOf = (term: string): readonly Vote[] => {
  const known = votes.get(term);
  if (known !== undefined) return known;
  const made = readVotes(term);
  if (votes.size >= VOTES_LIMIT) votes.clear();
  votes.set(term, made);
  return made;
};

type Vote = readonly [id: string, vote: number];
const votes = new Map<string, readonly Vote[]>();
const VOTES_LIMIT = 50_000;

const readVotes = (term: string): readonly Vote[] => {
  const listed = lexicon().get(term);
  if (listed !== undefined) return listed.map((id) => [id, 1 / listed.length]);
  return knownWords()
    .neighbours(term)
    .flatMap(({ term: near, similarity }) => {
      const scenarios = lexicon().get(near) ?? [];
      return scenarios.map((id) => [id, (NEIGHBOUR_VOTE * similarity) / scenarios.length] as const);
    });
};

/** The scenario that a label names by its id, English name or Chinese name. */
const scenarioNamed = (label: string): string | undefined => {
  const wanted = splitIdentifier(label).join(' ');
  return SCENARIOS.find(
    ({ id, name, chinese }) => label === chinese || [id, name].some((own) => splitIdentifier(own).join(' ') === wanted),
  )?.id;
};

/** Term -> the scenarios that list it. */
const lexicon = lazily(() => readLexicon());

const readLexicon = (): ReadonlyMap<string, readonly string[]> => {
  const scenarios = new Map<string, string[]>();
  for (const { id, words, chinese_words: chinese } of data.scenarios) {
    const terms = [...words.split(' ').map(termOf), ...chinese.split(' ').flatMap((word) => termsOf(word))];
    for (const term of new Set(terms)) scenarios.set(term, [...(scenarios.get(term) ?? []), id]);
  }
  return scenarios;
};

const DECLARED_VOTES = 20;
const NEIGHBOUR_VOTE = 0.3;
