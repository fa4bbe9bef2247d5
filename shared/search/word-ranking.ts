import { bestDocuments, type Found } from './best-documents.ts';
import type { SearchStore } from './index-store.ts';
import type { Hit, QueryTerm, SearchOptions } from './search-index.ts';
import { type Sums, saturated } from './sums.ts';

/** The inverse document frequency of a term. */
export const rarityOf = (store: Pick<SearchStore, 'size' | 'frequency'>, term: number | undefined): number => {
  const frequency = term === undefined ? 0 : store.frequency(term);
  return Math.log(1 + (store.size - frequency + 0.5) / (frequency + 0.5));
};

/**
 * The documents that match a query, best first. The posting lists of rare terms are read first, to find candidates; if
 * they find enough, common terms are looked up in the best candidates only, so that a huge index costs little more.
 */
export const rankByWords = (
  store: SearchStore,
  sums: Sums,
  query: readonly QueryTerm[],
  options: SearchOptions,
): readonly Hit[] => {
  const names = store.documents();
  sums.reserve(names.length);
  const groups = query.map((asked) => readingsOf(store, asked)).filter(({ cost }) => cost > 0);
  groups.sort((one, other) => one.cost - other.cost);
  const { limit = Number.POSITIVE_INFINITY, accept } = options;
  let [next, read] = [0, 0];
  const readUntil = (most: number): void => {
    for (; next < groups.length; next++) {
      const { readings, cost } = groups[next] as Group;
      if (read + cost > most && next > 0) return;
      read += cost;
      addGroup(store, readings, sums);
    }
  };
  const bestSoFar = (): readonly Found[] =>
    bestDocuments(sums.found(), names, next < groups.length ? Math.max(limit, LOOKED_UP) : limit, accept);
  readUntil(ENOUGH_READ);
  let hits = bestSoFar();
  if (next < groups.length && hits.length < Math.min(limit, LOOKED_UP)) {
    readUntil(MOST_READ);
    hits = bestSoFar();
  }
  sums.clear();
  if (next < groups.length) {
    const whole = scorerOf(store, groups);
    const looked = hits.slice(0, LOOKED_UP).map((found) => ({ ...found, score: whole(found.document) }));
    // The others score lower than all of these on the rare terms.
    hits = [...looked.sort(better), ...hits.slice(LOOKED_UP)];
  }
  return hits.slice(0, limit).map(({ name, score }) => ({ name, score }));
};

interface Reading {
  readonly term: number;
  readonly weight: number;
}

interface Group {
  readonly readings: readonly Reading[];
  readonly cost: number;
}

const addGroup = (store: SearchStore, readings: readonly Reading[], sums: Sums): void => {
  const gains = store.gains();
  for (const { term, weight } of readings) sums.offerTerm(store.postings(term), weight, gains);
  sums.settle();
};

/** Computes the full score of a single document from its own terms. */
const scorerOf = (store: SearchStore, groups: readonly Group[]): ((document: number) => number) => {
  const gains = store.gains();
  const asked = new Map<number, (Reading & { readonly group: number })[]>();
  for (const [group, { readings }] of groups.entries())
    for (const reading of readings)
      asked.set(reading.term, [...(asked.get(reading.term) ?? []), { ...reading, group }]);
  const offers = new Float64Array(groups.length);
  return (document) => {
    offers.fill(0);
    for (const term of store.terms(document)) {
      const readings = asked.get(term);
      if (readings === undefined) continue;
      const matched = saturated(gains, document, store.counts(term, document));
      for (const { group, weight } of readings) offers[group] = Math.max(offers[group] as number, weight * matched);
    }
    return offers.reduce((sum, offer) => sum + offer, 0);
  };
};

/** A term and its alternatives; an alternative never weighs more than the term itself. */
const readingsOf = (store: SearchStore, { term, weight, alternatives = [] }: QueryTerm): Group => {
  const asked = store.term(term);
  const rarity = rarityOf(store, asked);
  const readings: Reading[] = [];
  let cost = 0;
  const add = (number: number | undefined, factor: number): void => {
    const frequency = number === undefined ? 0 : store.frequency(number);
    if (number === undefined || frequency === 0) return;
    cost += frequency;
    readings.push({ term: number, weight: weight * factor * Math.min(rarity, rarityOf(store, number)) });
  };
  add(asked, 1);
  for (const alternative of alternatives) add(store.term(alternative.term), alternative.factor);
  return { readings, cost };
};

const better = (one: Hit, other: Hit): number =>
  other.score - one.score || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);

/** Limits on the postings read: at first, and when those find too few documents. The rarest term is always read. */
const ENOUGH_READ = 16_000;
const MOST_READ = 200_000;
/** How many of the best documents are scored again with the terms that were not read. */
const LOOKED_UP = 200;
