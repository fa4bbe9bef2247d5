import { nextTurn } from '../kernel/end-of-turn.ts';
import type { Request } from '../search/request.ts';
import { isEncoded, type RankingWeights, weighed, weightsFor } from '../search/weights.ts';
import { toAlternatives } from './alternatives.ts';
import type { Reading } from './arguments/reading.ts';
import { choiceOf } from './candidates.ts';
import type { Alternative, DecideDeps, DecideInput, Step } from './decision.ts';
import { askForTool } from './llm.ts';
import { isVague, type Matched, UNAVAILABLE } from './match.ts';
import { type Needs, needsOf } from './needs.ts';
import { round } from './scenario.ts';

export interface Evaluated extends Matched {
  readonly needs: Needs;
  /** The ranking score: fit, parameters, cost, past success, feedback and lists. */
  readonly score: number;
  /** What earlier requests add to the score, in the ranking only. */
  readonly lift: number;
  /** The probability that the tool fits, regardless of the others. */
  readonly confidence: number;
  readonly reasons: readonly string[];
  readonly excluded?: string;
}

export interface EvaluateStep extends Step {
  readonly step: 'evaluate';
  readonly decided: string | null;
  readonly alternatives: readonly Alternative[];
}

const EXAMINED = 4;
const WHITELISTED = 100;
/** The bonus of a tool that the request calls by its name. */
const CALLED = 3;
/** Below this confidence a tool is not proposed; nine in ten requests that a tool fits are above it. */
const FITS_FROM = 0.36;

/** Step 4: the best of the matching tools, or none when the best does not fit. */
export const evaluateTools = async (
  request: Request,
  matched: readonly Matched[],
  reading: Reading,
  deps: DecideDeps,
  input: Pick<DecideInput, 'top' | 'context' | 'candidates' | 'allowed'> = {},
): Promise<{
  readonly step: EvaluateStep;
  readonly best: Evaluated | undefined;
  /** The best tool without the lift by earlier requests. */
  readonly coldBest: Evaluated | undefined;
  readonly ranking: readonly Evaluated[];
}> => {
  const { top: shown = 0, context } = input;
  const weights = weightsFor(request.text, isEncoded(matched), choiceOf(input, deps));
  const open = isVague(matched) ? withinReach(matched, weights) : EXAMINED;
  // Tools lifted by earlier requests take extra places, so that none pushes out the tool that would be first otherwise.
  const lifted = matched.filter(({ remembered }) => remembered !== undefined).length;
  const chosen = matched.filter(
    ({ profile }, at) =>
      at < Math.max(open, EXAMINED, shown + 1) + lifted || deps.lists?.whitelist?.has(profile.tool.name),
  );
  const examined: Evaluated[] = [];
  for (const candidate of chosen) {
    const needs = needsOf(candidate.profile, reading, context, deps.argumentWeights);
    examined.push(evaluate(candidate, needs, weights, deps));
    await nextTurn();
  }
  const ranking = examined
    .filter(({ excluded }) => excluded === undefined)
    .sort((one, other) => other.score + other.lift - (one.score + one.lift) || byName(one, other));
  const coldTop = ranking.toSorted((one, other) => other.score - one.score || byName(one, other))[0];
  const fits = (one: Evaluated | undefined): boolean => one !== undefined && one.confidence >= levelFor(one, deps);
  // If the first does not fit, a tool whose required arguments are all in the request may be meant.
  const served = ranking.find((one) => isServed(one) && fits(one));
  const top = [ranking[0], coldTop, served].find(fits) ?? coldTop;
  const asked =
    deps.llm === undefined || ranking.length === 0
      ? undefined
      : await askForTool(
          deps.llm,
          request.text,
          ranking.map(({ profile }) => profile.tool),
        );
  const best =
    asked?.tool === undefined
      ? fits(top)
        ? top
        : undefined
      : ranking.find(({ profile }) => profile.tool.name === asked.tool);
  const notes = [
    ...examined.flatMap(({ excluded }) => excluded ?? []),
    ...(asked?.note === undefined ? [] : [asked.note]),
  ];
  return {
    best,
    coldBest: fits(coldTop) ? coldTop : top === served ? served : undefined,
    ranking,
    step: {
      step: 'evaluate',
      by: asked?.tool === undefined ? 'rules' : 'model',
      decided: best?.profile.tool.name ?? null,
      evidence: best?.reasons ?? top?.reasons ?? [],
      confidence: round((best ?? top)?.confidence ?? 0),
      candidates: { before: matched.length, after: best === undefined ? 0 : 1 },
      alternatives: toAlternatives(ranking, ranking),
      notes: notes.length === 0 ? undefined : notes,
    },
  };
};

const isServed = ({ needs: { missing, undemanding }, confidence }: Evaluated): boolean =>
  missing === 0 && undemanding === 0 && confidence >= SERVED_FROM;
const SERVED_FROM = 0.5;

/** How many tools are near enough to the best by words that their arguments may still put them first. */
const withinReach = (matched: readonly Matched[], { ranking }: RankingWeights): number => {
  const scores = matched.map(({ features, bonus }) => weighed(features, ranking) + (bonus?.score ?? 0));
  const best = Math.max(...scores);
  return scores.findLastIndex((score) => score >= best - REACH) + 1;
};
/** In requests that name no tool's subject, the best tool was never further behind by its words alone. */
const REACH = 2.6;

const byName = (one: Evaluated, other: Evaluated): number => (one.profile.tool.name < other.profile.tool.name ? -1 : 1);

/** The confidence that a tool needs to be proposed; higher for tools that need consent or are dangerous. */
const levelFor = (one: Evaluated, deps: DecideDeps): number => (isSafe(one, deps) ? FITS_FROM : RISKY_FROM);

/** Whether a tool may be an alternative; one that is not safe needs the request's intent and a higher confidence. */
export const isOffered = (one: Evaluated, deps: DecideDeps): boolean =>
  isSafe(one, deps) || (one.features.intent >= 0 && one.confidence >= RISKY_FROM);

const isSafe = ({ profile: { tool } }: Evaluated, { permission }: DecideDeps): boolean =>
  (permission?.(tool) ?? tool.permission ?? 'safe') === 'safe';

const RISKY_FROM = 0.6;

const evaluate = (
  candidate: Matched,
  needs: Needs,
  { ranking, fitting }: RankingWeights,
  deps: DecideDeps,
): Evaluated => {
  const { tool } = candidate.profile;
  const { missing, sure, undemanding, explained, typed } = needs;
  const features = { ...candidate.features, missing, sure, undemanding, explained, typed };
  let score = weighed(features, ranking);
  const reasons = [`fit ${round(score)}`, parameterReason(needs)];
  const weigh = (amount: number, reason: string): void => {
    score += amount;
    reasons.push(reason);
  };
  if (tool.price_micros !== undefined && tool.price_micros > 0) {
    weigh(-Math.min(0.4, 0.05 * Math.log10(1 + tool.price_micros)), `costs ${tool.price_micros} micro-dollars a call`);
  }
  weighUsage(tool.name, deps, weigh);
  // `as small as ssim of 0.98 allows` names a tool that it does not ask for, and lacks its required parameters.
  const called = features.called === 1 ? CALLED * (1 - missing) : 0;
  if (called > 0) weigh(called, 'called by its name');
  const { bonus } = candidate;
  if (bonus !== undefined) weigh(bonus.score, bonus.reason);
  if (candidate.remembered !== undefined) reasons.push(candidate.remembered.reason);
  if (candidate.unavailable) weigh(UNAVAILABLE, 'cannot run here yet');
  const confidence = 1 / (1 + Math.exp(-(weighed(features, fitting) + fitting.bias + (bonus?.score ?? 0) + called)));
  const listed = listing(tool.name, deps);
  // Whitelisted tools are ranked first, unless they do not fit the task.
  if (listed.whitelisted && confidence >= FITS_FROM * 0.6) weigh(WHITELISTED, 'on the whitelist');
  return {
    ...candidate,
    features,
    needs,
    score,
    lift: candidate.remembered?.lift ?? 0,
    confidence,
    reasons,
    excluded: listed.excluded,
  };
};

const parameterReason = ({ slots, found }: Needs): string => {
  const required = slots.filter((slot) => slot.required);
  const given = required.filter((slot) => found.has(slot.name)).length;
  return required.length === 0 ? 'needs no parameters' : `${given} of ${required.length} required parameters are given`;
};

/** Past success and feedback shift the score, with more weight the more of them there are. */
const weighUsage = (name: string, { usage }: DecideDeps, weigh: (amount: number, reason: string) => void): void => {
  const stats = usage?.stats?.(name);
  if (stats !== undefined && stats.calls > 0) {
    const trust = stats.calls / (stats.calls + 10);
    weigh(
      trust * 2 * (stats.successRate - 0.9),
      `${Math.round(stats.successRate * 100)} % of ${stats.calls} calls succeeded`,
    );
    if (stats.meanMs !== undefined)
      weigh(-trust * 0.1 * Math.log10(1 + stats.meanMs / 100), `takes ${Math.round(stats.meanMs)} ms`);
  }
  const rating = usage?.rating?.(name);
  if (rating !== undefined && rating.count > 0) {
    const trust = rating.count / (rating.count + 5);
    weigh(trust * 0.4 * (rating.mean - 3), `rated ${round(rating.mean)} of 5 by ${rating.count}`);
  }
};

/** A person's blacklist overrides the whitelist, which overrides the automatic blacklist of failing tools. */
const listing = (
  name: string,
  { lists }: DecideDeps,
): { readonly whitelisted: boolean; readonly excluded?: string } => {
  const banned = lists?.blacklist?.get(name);
  if (banned !== undefined) return { whitelisted: false, excluded: `${name} is on the blacklist: ${banned}` };
  if (lists?.whitelist?.has(name)) return { whitelisted: true };
  const failing = lists?.failing?.get(name);
  return failing === undefined
    ? { whitelisted: false }
    : { whitelisted: false, excluded: `${name} is on the blacklist: ${failing}` };
};
