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

/** Up to this size of a catalogue every tool is compared by meaning; in a larger one some tool has the words. */
const MEANT_LIMIT = 1000;
const MEANT = 16;
const FEW = 48;

/** The tools that share words or meaning with a request, with the best of the index first. */
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
    // If there are only a few tools, all are candidates, whatever their words.
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

/** Adds candidates that no word matched, with a score of 0. */
const addMissing = (scores: Map<string, number>, names: readonly string[]): void => {
  for (const name of names) if (!scores.has(name)) scores.set(name, 0);
};

const candidateOf = (
  tool: Tool,
  known: Pick<Candidate, 'text' | 'bonus' | 'remembered'>,
  available: DecideDeps['available'],
): Candidate => ({ tool, ...known, unavailable: available?.(tool) === false || undefined });

/** The tools most similar to the request by word vectors, even without a common word. */
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

/** The lift of safe tools by similar earlier requests; a tool that needs consent gains nothing from use. */
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
