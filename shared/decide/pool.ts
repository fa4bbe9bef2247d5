import type { Candidate, DecideDeps, DecideInput } from './decision.ts';
import { imageFit, imageRequestOf, imageTerms } from './image.ts';
import type { Request } from './request.ts';

const POOL = 40;
const NAMED_LIMIT = 500;

/** The tools that share words or meanings with a request, by the index, best first. */
export const findPool = (
  request: Request,
  input: DecideInput,
  { index, tool, available }: DecideDeps,
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
  const image = imageRequestOf(request.text, input.context);
  if (image !== undefined) {
    const more = index.rank(imageTerms(image), {
      limit: POOL * 4,
      accept: (name) => accept(name) && tool(name)?.iqa !== undefined,
    });
    for (const { name, score } of more) if (!scores.has(name)) scores.set(name, score / (more[0]?.score ?? 1) / 2);
  }
  for (const name of named ?? []) if (!scores.has(name) && accept(name)) scores.set(name, 0);
  return [...scores].flatMap(([name, text]) => {
    const found = tool(name);
    if (found === undefined) return [];
    const fit = imageFit(found, image);
    return [
      {
        tool: found,
        text,
        ...(fit === undefined ? {} : { bonus: fit }),
        ...(available?.(found) === false ? { unavailable: true as const } : {}),
      },
    ];
  });
};
