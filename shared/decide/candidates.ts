import type { Tool } from '../model/tool.ts';
import { dot } from '../search/features.ts';
import { imageFit, imageRequestOf, imageTerms } from '../search/image-request.ts';
import { exampleLift } from '../search/near-examples.ts';
import { profileOf } from '../search/profile.ts';
import type { Request } from '../search/request.ts';
import { nearestByEncoder } from '../search/request-vectors.ts';
import type { Candidate, DecideDeps, DecideInput } from './decision.ts';

const POOL = 28;
const NAMED_LIMIT = 500;

/** In a catalogue of this size every tool can be looked at; in a larger one some tool has the words. */
const MEANT_LIMIT = 1000;
const MEANT = 16;
const FEW = 48;

/** The tools that share words or meanings with a request, by the index, best first. */
export const findPool = (
  request: Request,
  input: DecideInput,
  { index, tool, names, available, memory, permission }: DecideDeps,
): readonly Candidate[] => {
  const allowed = input.allowed === undefined ? undefined : new Set(input.allowed);
  const named = input.candidates === undefined ? undefined : new Set(input.candidates.slice(0, NAMED_LIMIT));
  const accept = (name: string): boolean =>
    (named === undefined || named.has(name)) &&
    (allowed === undefined || allowed.has(name)) &&
    tool(name) !== undefined;
  const hits = index.rank(request.terms, { limit: POOL, accept });
  const best = hits[0]?.score ?? 1;
  const scores = new Map(hits.map(({ name, score }) => [name, score / best]));
  if (named === undefined) addMissing(scores, nearestByEncoder(request, index.vectors, accept));
  if (named === undefined && names !== undefined && index.size <= MEANT_LIMIT) {
    const open = names().filter(accept);
    // Of a few tools each is a candidate, whatever words it has.
    addMissing(scores, open.length <= FEW ? open : nearestInMeaning(request, open, tool));
  }
  const image = imageRequestOf(request.text, input.context);
  if (image !== undefined) {
    const more = index.rank(imageTerms(image), {
      limit: POOL * 4,
      accept: (name) => accept(name) && tool(name)?.iqa !== undefined,
    });
    for (const { name, score } of more) if (!scores.has(name)) scores.set(name, score / (more[0]?.score ?? 1) / 2);
  }
  addMissing(scores, [...(named ?? [])].filter(accept));
  const near = remembered(request, [...scores.keys()], { memory, tool, permission });
  return [...scores].flatMap(([name, text]) => {
    const found = tool(name);
    if (found === undefined) return [];
    return [candidateOf(found, { text, bonus: imageFit(found, image), remembered: near.get(name) }, available)];
  });
};

/** How many tools a decision chooses from. */
export const choiceOf = (
  { candidates, allowed }: Pick<DecideInput, 'candidates' | 'allowed'>,
  { index }: Pick<DecideDeps, 'index'>,
): number => Math.min(index.size, candidates?.length ?? index.size, allowed?.length ?? index.size);

/** Candidates that no word speaks for. */
const addMissing = (scores: Map<string, number>, names: readonly string[]): void => {
  for (const name of names) if (!scores.has(name)) scores.set(name, 0);
};

const candidateOf = (
  tool: Tool,
  known: Pick<Candidate, 'text' | 'bonus' | 'remembered'>,
  available: DecideDeps['available'],
): Candidate => ({ tool, ...known, unavailable: available?.(tool) === false || undefined });

/** The tools whose purpose points where the request does, though no word of theirs may be in it. */
const nearestInMeaning = (
  { direction }: Request,
  names: readonly string[],
  tool: DecideDeps['tool'],
): readonly string[] => {
  const near = names.flatMap((name) => {
    const found = tool(name);
    return found === undefined ? [] : [{ name, nearness: dot(direction, profileOf(found).direction) }];
  });
  return near
    .sort((one, other) => other.nearness - one.nearness || (one.name < other.name ? -1 : 1))
    .slice(0, MEANT)
    .flatMap(({ name, nearness }) => (nearness > 0 ? [name] : []));
};

/** What earlier requests like this one add to safe tools; a tool that needs consent earns nothing by being used. */
const remembered = (
  request: Request,
  names: readonly string[],
  { memory, tool, permission }: Pick<DecideDeps, 'memory' | 'tool' | 'permission'>,
): ReadonlyMap<string, NonNullable<Candidate['remembered']>> => {
  if (memory === undefined) return new Map();
  const safe = names.flatMap((name) => {
    const found = tool(name);
    return found && (permission?.(found) ?? found.permission ?? 'safe') === 'safe' ? [found] : [];
  });
  return new Map(
    [...memory.nearest(request, safe)].map(([name, example]) => {
      const lift = exampleLift(example);
      const near = `${Math.round(example.similarity * 100)} %`;
      const reason = `like the example ${JSON.stringify(cut(example.request))} (${near}, ${example.id}, memory ${memory.revision})`;
      return [name, { lift, reason }];
    }),
  );
};

const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
