import type { Tool } from '../model/tool.ts';
import { dot } from './features.ts';
import { type Request, readRequest } from './request.ts';

/** An example request of a tool: an earlier one that it served correctly, or one from its definition. */
export interface NearExample {
  readonly id: string;
  readonly request: string;
  /** 0 to 1: half word overlap, half cosine of the meanings. */
  readonly similarity: number;
}

export interface ExampleText {
  readonly id: string;
  readonly read: Request;
}

export const readExampleTexts = (
  examples: readonly { readonly id: string; readonly request: string }[],
): readonly ExampleText[] => examples.map(({ id, request }) => ({ id, read: readRequest(request) }));

/** The nearest example of each tool; tools without one above the similarity threshold are left out. */
export const nearestExamples = (
  request: Request,
  tools: readonly Tool[],
  learnt: (name: string) => readonly ExampleText[],
): ReadonlyMap<string, NearExample> => {
  const found = new Map<string, NearExample>();
  for (const tool of tools) {
    let best: NearExample | undefined;
    for (const { id, read } of [...definedExamples(tool), ...learnt(tool.name)]) {
      const similarity = likeness(request, read);
      if (similarity >= NEAR && similarity > (best?.similarity ?? 0)) best = { id, request: read.text, similarity };
    }
    if (best !== undefined) found.set(tool.name, best);
  }
  return found;
};

/** What an example adds to a tool's score: 0 at the similarity threshold, at most the cap. */
export const exampleLift = ({ similarity }: NearExample): number => Math.min(LIFT_CAP, SLOPE * (similarity - NEAR));

// Chosen on half of ToolE's development requests, where 90 % of the right tools have an example at least this near.
const NEAR = 0.2;
const SLOPE = 12;
const LIFT_CAP = 3;

/** The mean of the topically weighted term overlap (Jaccard) and the cosine of the meanings. */
const likeness = (one: Request, other: Request): number => {
  let [both, all] = [0, 0];
  for (const { term, topical } of one.terms) {
    all += topical;
    if (other.said.has(term)) both += topical;
  }
  for (const { term, topical } of other.terms) if (!one.said.has(term)) all += topical;
  return 0.5 * (all === 0 ? 0 : both / all) + 0.5 * Math.max(0, dot(one.direction, other.direction));
};

/** Definitions are frozen, so their examples are read once. */
const definedExamples = (tool: Tool): readonly ExampleText[] => {
  if (tool.examples === undefined) return NONE;
  const known = defined.get(tool);
  if (known !== undefined) return known;
  const made = readExampleTexts(
    tool.examples.map((example, at) => ({
      id: `definition ${at + 1}`,
      request: typeof example === 'string' ? example : example.request,
    })),
  );
  defined.set(tool, made);
  return made;
};
const defined = new WeakMap<Tool, readonly ExampleText[]>();
const NONE: readonly ExampleText[] = [];
