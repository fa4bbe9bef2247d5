import type { LogisticParams } from '../model/iqa.ts';
import { fitLogistic } from './fit-logistic.ts';
import { normaliseScore } from './normalise.ts';
import { followed, type Observation, type Tool } from './observe.ts';

/** What people are taken to say of an undistorted picture and of the five steps of the ladder. */
const NOMINAL = [5, 4.4, 3.6, 2.8, 2, 1.3] as const;
/** An undistorted picture must score at least this by a full-reference tool. */
const PRISTINE = 4.8;
const ROUNDS = 4;
/** How much of the target is the nominal scale; the rest is what the full-reference tools say together. */
const NOMINAL_SHARE = 0.25;

export interface Calibration {
  readonly tool: string;
  readonly params: LogisticParams;
  /** On photographs that the fit did not see. */
  readonly leftOut: { readonly rms: number; readonly worst: number; readonly count: number };
}

/**
 * Fits every tool's logistic so that tools agree: towards a mixture of the nominal scale and of what the
 * full-reference tools say together. A tool is fitted on the kinds of distortion that it follows.
 */
export const calibrate = (observations: readonly Observation[], tools: readonly Tool[]): readonly Calibration[] => {
  const kinds = new Map(tools.map((tool) => [tool.name, followed(observations, tool)]));
  const seen = observations.filter(({ tool, kind }) => kind === 'none' || kinds.get(tool)?.has(kind));
  const photographs = [...new Set(seen.map(({ photograph }) => photograph))];
  const params = fitTogether(seen, tools);
  const errors = new Map<string, number[]>(tools.map(({ name }) => [name, []]));
  for (const left of photographs) {
    const fitted = fitTogether(
      seen.filter(({ photograph }) => photograph !== left),
      tools,
    );
    const held = seen.filter(({ photograph }) => photograph === left);
    const target = consensus(held, tools, fitted);
    for (const observation of held) {
      const tool = tools.find(({ name }) => name === observation.tool) as Tool;
      const error = scaled(tool, fitted, observation.raw) - (target.get(pictureOf(observation)) as number);
      errors.get(tool.name)?.push(error);
    }
  }
  return tools.map(({ name }) => {
    const all = errors.get(name) ?? [];
    const rms = Math.sqrt(all.reduce((sum, error) => sum + error ** 2, 0) / all.length);
    const worst = Math.max(...all.map(Math.abs));
    return { tool: name, params: params.get(name) as LogisticParams, leftOut: { rms, worst, count: all.length } };
  });
};

type Params = ReadonlyMap<string, LogisticParams>;

const pictureOf = ({ photograph, kind, level }: Observation): string => `${photograph} ${kind} ${level}`;

const scaled = (tool: Tool, params: Params, raw: number): number =>
  normaliseScore({ ...tool, logistic_params: params.get(tool.name) }, raw).normalized;

const fitTogether = (observations: readonly Observation[], tools: readonly Tool[]): Params => {
  let target = new Map(observations.map((each) => [pictureOf(each), NOMINAL[each.level] as number]));
  let params: Params = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    params = new Map(
      tools.map((tool) => {
        const own = observations.filter((each) => each.tool === tool.name);
        const points = own.map((each) => ({ x: each.raw, y: target.get(pictureOf(each)) as number }));
        const pristine = tool.type === 'FR' ? own.find(({ level }) => level === 0)?.raw : undefined;
        return [tool.name, fitLogistic(points, tool.lower_better ?? false, pristine, PRISTINE)] as const;
      }),
    );
    target = consensus(observations, tools, params);
  }
  return params;
};

/** The target of each picture. */
const consensus = (
  observations: readonly Observation[],
  tools: readonly Tool[],
  params: Params,
): Map<string, number> => {
  const sums = new Map<string, { total: number; count: number; nominal: number }>();
  for (const each of observations) {
    const tool = tools.find(({ name }) => name === each.tool) as Tool;
    const picture = pictureOf(each);
    const sum = sums.get(picture) ?? { total: 0, count: 0, nominal: NOMINAL[each.level] as number };
    const vote = tool.type === 'FR' ? { total: scaled(tool, params, each.raw), count: 1 } : { total: 0, count: 0 };
    sums.set(picture, { ...sum, total: sum.total + vote.total, count: sum.count + vote.count });
  }
  return new Map(
    [...sums].map(([picture, { total, count, nominal }]) => [
      picture,
      count === 0 ? nominal : NOMINAL_SHARE * nominal + (1 - NOMINAL_SHARE) * (total / count),
    ]),
  );
};
