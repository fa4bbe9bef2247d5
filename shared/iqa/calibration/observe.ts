import type { Distortion } from '../../model/iqa.ts';
import type { IqaTool } from '../metadata.ts';
import { rankCorrelation } from './statistics.ts';

export type Tool = Pick<IqaTool, 'name' | 'type' | 'lower_better'>;

/** A raw score of one picture of the ladder; level 0, kind `none`, is the undistorted photograph. */
export interface Observation {
  readonly tool: string;
  readonly photograph: string;
  readonly kind: string;
  readonly level: number;
  readonly raw: number;
}

/** A tool follows a kind of distortion when its quality falls step by step: rank correlation at least this. */
const FOLLOWS = 0.9;
const NEARLY = 0.05;

/** How well a tool's quality falls with the level of a kind: 1 is always, -1 is the wrong way; mean over photographs. */
export const following = (observations: readonly Observation[], tool: Tool, kind: string): number => {
  const own = observations.filter((each) => each.tool === tool.name && (each.kind === kind || each.kind === 'none'));
  const photographs = [...new Set(own.filter((each) => each.kind === kind).map(({ photograph }) => photograph))];
  const correlations = photographs.map((photograph) => {
    const steps = own.filter((each) => each.photograph === photograph).sort((a, b) => a.level - b.level);
    const worsening = steps.map(({ raw }) => (tool.lower_better ? raw : -raw));
    return rankCorrelation(
      steps.map(({ level }) => level),
      worsening,
    );
  });
  return correlations.reduce((sum, value) => sum + value, 0) / Math.max(correlations.length, 1);
};

/** The kinds of distortion that a tool follows. */
const followed = (observations: readonly Observation[], tool: Tool): ReadonlySet<string> => {
  const kinds = new Set(observations.map(({ kind }) => kind).filter((kind) => kind !== 'none'));
  return new Set([...kinds].filter((kind) => following(observations, tool, kind) >= FOLLOWS));
};

/** How well a tool's quality falls with the level over all photographs and all of these kinds together. */
export const ordering = (observations: readonly Observation[], tool: Tool, kinds: readonly string[]): number => {
  const own = observations.filter(
    (each) => each.tool === tool.name && (each.kind === 'none' || kinds.includes(each.kind)),
  );
  return rankCorrelation(
    own.map(({ level }) => level),
    own.map(({ raw }) => (tool.lower_better ? raw : -raw)),
  );
};

/**
 * The categories each tool may claim: it follows one of the kinds at least, and orders all photographs and kinds
 * of the category together well, or nearly as well as the best tool of its type.
 */
export const strengthsOf = (
  observations: readonly Observation[],
  tools: readonly Tool[],
  categories: ReadonlyMap<Distortion, readonly string[]>,
): ReadonlyMap<string, readonly Distortion[]> => {
  const claims = new Map<string, Distortion[]>(tools.map(({ name }) => [name, []]));
  const follows = new Map(tools.map((tool) => [tool.name, followed(observations, tool)]));
  for (const [category, kinds] of categories) {
    const measured = tools.map((tool) => ({ tool, order: ordering(observations, tool, kinds) }));
    for (const { tool, order } of measured) {
      const best = Math.max(...measured.filter((each) => each.tool.type === tool.type).map((each) => each.order));
      const strong = order >= Math.min(FOLLOWS, best - NEARLY);
      if (strong && kinds.some((kind) => follows.get(tool.name)?.has(kind))) claims.get(tool.name)?.push(category);
    }
  }
  return claims;
};
