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

/** A tool detects a kind of distortion when its quality falls with the level: rank correlation of at least this. */
const DETECTS = 0.9;
const NEARLY = 0.05;

/** Rank correlation between the level of one kind and the loss of quality, averaged over photographs; 1 is best. */
export const levelCorrelation = (observations: readonly Observation[], tool: Tool, kind: string): number => {
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

/** The kinds of distortion that a tool detects. */
const detectedKinds = (observations: readonly Observation[], tool: Tool): ReadonlySet<string> => {
  const kinds = new Set(observations.map(({ kind }) => kind).filter((kind) => kind !== 'none'));
  return new Set([...kinds].filter((kind) => levelCorrelation(observations, tool, kind) >= DETECTS));
};

/** The same correlation over all photographs and all of these kinds pooled. */
export const pooledCorrelation = (
  observations: readonly Observation[],
  tool: Tool,
  kinds: readonly string[],
): number => {
  const own = observations.filter(
    (each) => each.tool === tool.name && (each.kind === 'none' || kinds.includes(each.kind)),
  );
  return rankCorrelation(
    own.map(({ level }) => level),
    own.map(({ raw }) => (tool.lower_better ? raw : -raw)),
  );
};

/**
 * The strengths each tool may claim: categories of which it detects at least one kind, and whose pooled correlation is
 * high or within 0.05 of the best tool of its type.
 */
export const findStrengths = (
  observations: readonly Observation[],
  tools: readonly Tool[],
  categories: ReadonlyMap<Distortion, readonly string[]>,
): ReadonlyMap<string, readonly Distortion[]> => {
  const claims = new Map<string, Distortion[]>(tools.map(({ name }) => [name, []]));
  const follows = new Map(tools.map((tool) => [tool.name, detectedKinds(observations, tool)]));
  for (const [category, kinds] of categories) {
    const measured = tools.map((tool) => ({ tool, order: pooledCorrelation(observations, tool, kinds) }));
    for (const { tool, order } of measured) {
      const best = Math.max(...measured.filter((each) => each.tool.type === tool.type).map((each) => each.order));
      const strong = order >= Math.min(DETECTS, best - NEARLY);
      if (strong && kinds.some((kind) => follows.get(tool.name)?.has(kind))) claims.get(tool.name)?.push(category);
    }
  }
  return claims;
};
