import type { Tool } from '../model/tool.ts';
import { dot, type Features, measureFor, wordFeatures } from './features.ts';
import { type ImageRequest, imageFit, imageRequestOf, imageTerms } from './image-request.ts';
import { intentsOfRequest } from './intents.ts';
import { withLead } from './leads.ts';
import { meaningFeatures } from './nearness.ts';
import { type Profile, profileOf } from './profile.ts';
import { isIn, type Request, readRequest, saysNothing } from './request.ts';
import { nearestByEncoder } from './request-vectors.ts';
import { scenariosOf } from './scenarios.ts';
import type { Hit, SearchIndex, SearchOptions } from './search-index.ts';
import { isEncoded, weighed, weightsFor } from './weights.ts';
import { spreadOverWishes } from './wishes.ts';

/** What a search reads: the word index, and the tools themselves. */
export interface Searched extends Pick<SearchIndex, 'rank' | 'rarity' | 'size' | 'vectors' | 'revision'> {
  readonly tool: (name: string) => Tool | undefined;
  readonly names: () => Iterable<string>;
}

/**
 * The tools that match a text, best first, scored by the features of decisions except those of arguments. The top
 * candidates by words and by meaning get all features; the rest follow by word score, so pages never overlap.
 */
export const searchTools = (query: string, searched: Searched, options: SearchOptions = {}): readonly Hit[] => {
  const request = readRequest(query, options.vectors);
  const { accept = () => true, limit = Number.POSITIVE_INFINITY } = options;
  const hits = searched.rank(request.terms, { accept, limit: Math.max(COMPARED, limit) });
  const best = hits[0]?.score ?? 1;
  const texts = new Map(hits.slice(0, COMPARED).map(({ name, score }) => [name, score / best]));
  for (const name of nearestByEncoder(request, searched.vectors, accept)) if (!texts.has(name)) texts.set(name, 0);
  for (const name of nearest(request, searched, accept)) if (!texts.has(name)) texts.set(name, 0);
  const image = imageRequestOf(request.text);
  for (const name of judgesOf(image, searched, accept)) if (!texts.has(name)) texts.set(name, 0);
  const compared = compare(request, texts, searched, image);
  const known = new Set(compared.map(({ name }) => name));
  const floor = compared.at(-1)?.score ?? 0;
  const rest = hits
    .slice(COMPARED)
    .filter(({ name }) => !known.has(name) && isRelevant(request, searched.tool(name)))
    .map(({ name, score }) => ({ name, score: floor * (score / best) * 0.5 }));
  return [...compared, ...rest].slice(0, limit);
};

/** Finds image-quality tools, because requests to rate a picture rarely use the terms of a metric. */
const judgesOf = (
  image: ImageRequest | undefined,
  { rank, tool }: Searched,
  accept: (name: string) => boolean,
): readonly string[] =>
  image === undefined
    ? []
    : rank(imageTerms(image), {
        limit: COMPARED,
        accept: (name) => accept(name) && tool(name)?.iqa !== undefined,
      }).map(({ name }) => name);

const compare = (
  request: Request,
  texts: ReadonlyMap<string, number>,
  searched: Searched,
  image: ImageRequest | undefined,
): readonly Hit[] => {
  const profiles = [...texts].flatMap(([name, text]) => {
    const tool = searched.tool(name);
    return tool === undefined ? [] : [{ profile: profileOf(tool), text }];
  });
  const terms = request.terms.flatMap(({ term, same }) => [term, ...same.slice(0, 1)]);
  const known = { intent: intentsOfRequest(request.text)[0]?.id, scenarios: scenariosOf(terms) };
  const measure = measureFor(
    request,
    searched,
    profiles.map(({ profile }) => profile),
    known,
  );
  const words = profiles.map(({ profile, text }) => ({ profile, features: wordFeatures(measure, profile, text) }));
  const read = withLead(words, 'likest');
  const { search } = weightsFor(request.text, isEncoded(read));
  const similar = similarEnough(read.map(({ features }) => features.sentence));
  const first = read
    .map(({ profile, features }) => scored(profile, features, search, image))
    .filter(
      ({ profile, features }) =>
        (image?.judged && imageFit(profile.tool, image) !== undefined) ||
        features.meaning >= NEAR_ENOUGH ||
        features.sentence >= similar ||
        features.called > 0 ||
        shares(request, profile),
    )
    .sort(better);
  const meant = first.slice(0, MEANT).map(({ profile, features }) => ({
    profile,
    features: { ...features, ...meaningFeatures(measure, profile) },
  }));
  const ranked = withLead(meant, 'nearest')
    .map(({ profile, features }) => scored(profile, features, search, image))
    .sort(better);
  const full = spreadOverWishes(ranked, measure);
  const lowest = full.at(-1)?.score ?? 0;
  return [
    ...full.map(({ profile, score }) => ({ name: profile.tool.name, score })),
    // Candidates without the pairwise features rank below those with them.
    ...first.slice(MEANT).map(({ profile, score }) => ({ name: profile.tool.name, score: Math.min(score, lowest) })),
  ];
};

interface Scored {
  readonly profile: Profile;
  readonly features: Features;
  readonly score: number;
}

const scored = (
  profile: Profile,
  features: Features,
  weights: Parameters<typeof weighed>[1],
  image: ImageRequest | undefined,
): Scored => ({
  profile,
  features,
  score: weighed(features, weights) + (imageFit(profile.tool, image)?.score ?? 0),
});

const better = (one: Scored, other: Scored): number =>
  other.score - one.score || (one.profile.tool.name < other.profile.tool.name ? -1 : 1);

const isRelevant = (request: Request, tool: Tool | undefined): boolean =>
  tool !== undefined && shares(request, profileOf(tool));

/** Whether a tool shares enough topical terms with the request; `good` alone is no reason to list one. */
const shares = (request: Request, { all }: Profile): boolean => {
  let [sum, most] = [0, 0];
  for (const term of request.byTopic) {
    if (saysNothing(term)) continue;
    most = Math.max(most, term.topical);
    if (isIn(term, all) || nearIn(term, all)) sum += term.topical;
  }
  return sum > 0 && (sum >= ENOUGH || sum >= most);
};

const nearIn = ({ alternatives = [] }: Request['terms'][number], all: ReadonlySet<string>): boolean =>
  alternatives.some(({ term, factor }) => factor >= NEAR_WORD && all.has(term));

/** The tools nearest in meaning; only small catalogues are scanned, since in a large one some tool shares words. */
const nearest = (
  { direction, terms }: Request,
  { size, names, tool }: Searched,
  accept: (name: string) => boolean,
): readonly string[] => {
  // For a single term, the word index has already searched its neighbours.
  if (size > LOOKED_AT || terms.length < 2) return [];
  return [...names()]
    .filter(accept)
    .flatMap((name) => {
      const found = tool(name);
      return found === undefined ? [] : [{ name, nearness: dot(direction, profileOf(found).direction) }];
    })
    .filter(({ nearness }) => nearness >= NEAR_ENOUGH)
    .sort((one, other) => other.nearness - one.nearness || (one.name < other.name ? -1 : 1))
    .slice(0, MEANT)
    .map(({ name }) => name);
};

/** The encoder similarity that suffices to list a tool: a fixed threshold, or a margin below the best if lower. */
const similarEnough = (sentences: readonly number[]): number =>
  Math.min(SIMILAR_ENOUGH, Math.max(HARDLY_SIMILAR, Math.max(...sentences) - HARDLY_LESS));

const SIMILAR_ENOUGH = 0.35;
const HARDLY_SIMILAR = 0.2;
const HARDLY_LESS = 0.15;
const COMPARED = 40;
const MEANT = 16;
const LOOKED_AT = 1000;
const NEAR_ENOUGH = 0.35;
const NEAR_WORD = 0.2;
const ENOUGH = 0.45;
