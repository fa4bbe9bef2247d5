import { type Block, isTrial } from './block.ts';
import type { Ratings } from './feedback.ts';
import { valueAtQuantile } from './histogram.ts';
import type { Lists } from './lists.ts';
import { recentAt } from './recent.ts';
import type { StatsTotal } from './stats.ts';

/** A tool that may be recommended, with its signals. */
export interface RecommendationCandidate {
  readonly name: string;
  readonly version: string;
  /** Relevance to the task, from 0 to 1. */
  readonly fit: number;
  readonly stats?: StatsTotal | undefined;
  readonly ratings?: Ratings | undefined;
}

/** The factors of a score, each from 0 to 1. */
export interface ScoreParts {
  readonly fit: number;
  /** A lower bound of the success rate over recent calls. */
  readonly success: number;
  readonly speed: number;
  readonly feedback: number;
}

export interface Recommendation {
  readonly tool: string;
  readonly version: string;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly whitelisted: boolean;
  /** The cool-down after failures is over: the next call is a trial. */
  readonly trial: boolean;
  readonly why: readonly string[];
}

/** Ranks tools: the whitelist in its own order, then by score; blacklisted tools are left out. */
export const recommend = (
  candidates: readonly RecommendationCandidate[],
  lists: Lists,
  now: number,
  limit: number,
): readonly Recommendation[] => {
  const banned = new Set(lists.blacklist.map(({ name }) => name));
  const places = new Map(lists.whitelist.map(({ name }, place) => [name, place]));
  const placeOf = ({ tool }: Recommendation) => places.get(tool) ?? places.size;
  return candidates
    .filter(({ name, stats }) => !banned.has(name) && (places.has(name) || isOpen(stats?.block, now)))
    .map((candidate) => score(candidate, places.has(candidate.name), now))
    .sort((a, b) => placeOf(a) - placeOf(b) || b.score - a.score || (a.tool < b.tool ? -1 : 1))
    .slice(0, limit);
};

const isOpen = (block: Block | undefined, now: number): boolean => !block || isTrial(block, now);

const score = (candidate: RecommendationCandidate, whitelisted: boolean, now: number): Recommendation => {
  const { name, version, fit, stats, ratings } = candidate;
  const parts = {
    fit,
    success: successFactor(stats, now),
    speed: speedFactor(stats),
    feedback: feedbackFactor(ratings),
  };
  return {
    tool: name,
    version,
    score: round(parts.fit * parts.success * parts.speed * parts.feedback),
    parts: {
      fit: round(parts.fit),
      success: round(parts.success),
      speed: round(parts.speed),
      feedback: round(parts.feedback),
    },
    whitelisted,
    trial: stats?.block !== undefined && isTrial(stats.block, now),
    why: explain(candidate, whitelisted, now),
  };
};

/** A prior of one success and one failure: without calls the estimate is low, not zero. */
const PRIOR = 1;
/** The z value of a one-sided 90 % bound. */
const Z = 1.2816;

/** Wilson's lower bound of the success rate over recent calls, so that a few lucky calls do not rank first. */
const successFactor = (stats: StatsTotal | undefined, now: number): number => {
  const { ok, failed } = stats ? recentAt(stats.recent, now) : { ok: 0, failed: 0 };
  const n = ok + failed + 2 * PRIOR;
  const p = (ok + PRIOR) / n;
  const z2 = Z * Z;
  return (p + z2 / (2 * n) - Z * Math.sqrt((p * (1 - p) + z2 / (4 * n)) / n)) / (1 + z2 / n);
};

/** A latency of one second costs half of the speed factor, and no latency costs more: slow is better than wrong. */
const speedFactor = (stats: StatsTotal | undefined): number => {
  const median = stats && valueAtQuantile(stats.histogram, 0.5);
  return median === undefined ? 0.75 : 0.5 + 0.5 / (1 + median / 1_000_000);
};

/** The mean rating shrunk towards 3 by a prior of five ratings, scaled from 0.5 (worst) to 1 (best). */
const feedbackFactor = (ratings: Ratings | undefined): number => {
  const mean = ((ratings?.sum ?? 0) + 15) / ((ratings?.count ?? 0) + 5);
  return 0.5 + (mean - 1) / 8;
};

const explain = (
  { fit, stats, ratings }: RecommendationCandidate,
  whitelisted: boolean,
  now: number,
): readonly string[] => {
  const why = [fit < 1 ? `fits the task to ${Math.round(fit * 100)} %` : 'fits'];
  if (whitelisted) why.unshift('on the whitelist');
  const calls = stats?.calls ?? 0;
  why.push(calls === 0 ? 'never called yet' : `${stats?.successes} of ${calls} calls succeeded`);
  const median = stats && valueAtQuantile(stats.histogram, 0.5);
  if (median !== undefined) why.push(`half of its calls took ${Number((median / 1000).toPrecision(3))} ms or less`);
  if (ratings && ratings.count > 0) why.push(`rated ${round(ratings.sum / ratings.count)} of 5 by ${ratings.count}`);
  if (stats?.block) why.push(isTrial(stats.block, now) ? `on trial: ${stats.block.reason}` : stats.block.reason);
  return why;
};

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
