import type { Distortion } from '../model/iqa.ts';
import type { IqaTool } from './metadata.ts';

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
export const followed = (observations: readonly Observation[], tool: Tool): ReadonlySet<string> => {
  const kinds = new Set(observations.map(({ kind }) => kind).filter((kind) => kind !== 'none'));
  return new Set([...kinds].filter((kind) => following(observations, tool, kind) >= FOLLOWS));
};

/**
 * The categories each tool may claim: those of which it follows every kind. A category that no tool of a type
 * follows in full is claimed by the tools of that type which follow the most of its kinds.
 */
export const strengthsOf = (
  observations: readonly Observation[],
  tools: readonly Tool[],
  categories: ReadonlyMap<Distortion, readonly string[]>,
): ReadonlyMap<string, readonly Distortion[]> => {
  const kindsOf = new Map(tools.map((tool) => [tool.name, followed(observations, tool)]));
  const count = (tool: Tool, kinds: readonly string[]): number =>
    kinds.filter((kind) => kindsOf.get(tool.name)?.has(kind)).length;
  return new Map(
    tools.map((tool) => {
      const rivals = tools.filter(({ type }) => type === tool.type);
      const claimed = [...categories].filter(([, kinds]) => {
        const most = Math.max(...rivals.map((rival) => count(rival, kinds)));
        return most > 0 && count(tool, kinds) === most;
      });
      return [tool.name, claimed.map(([category]) => category)] as const;
    }),
  );
};

/** Spearman's rank correlation; ties share their mean rank. 0 where one side is constant. */
export const rankCorrelation = (a: readonly number[], b: readonly number[]): number => {
  const [x, y] = [ranks(a), ranks(b)] as const;
  const mean = (a.length + 1) / 2;
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] as number) - mean, (y[i] as number) - mean];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx * yy);
};

const ranks = (values: readonly number[]): readonly number[] =>
  values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
