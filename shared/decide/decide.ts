import { effectivePermission } from '../access/permission.ts';
import { nextTurn } from '../kernel/end-of-turn.ts';
import { Fault } from '../kernel/errors.ts';
import { inSpan } from '../kernel/trace.ts';
import type { Tool } from '../model/tool.ts';
import { isImageWord } from '../search/image-request.ts';
import { type Request, readRequest } from '../search/request.ts';
import { toAlternatives } from './alternatives.ts';
import { type Reading, readForValues } from './arguments/reading.ts';
import { type Filled, fillArguments } from './arguments.ts';
import { choiceOf, findPool } from './candidates.ts';
import type { DecideDeps, DecideInput, Decision, Step } from './decision.ts';
import { type Evaluated, evaluateTools, isOffered } from './evaluate.ts';
import { extractIntent } from './intent.ts';
import { leftoverOf } from './leftover.ts';
import { matchCapabilities } from './match.ts';
import { questionFor } from './question.ts';
import { callProbability, isAssumed, isUnderstood, READY_FROM } from './readiness.ts';
import { classifyScenario, round } from './scenario.ts';

const DEFAULT_TOP = 3;

/** Chooses a tool and its arguments for a task in five explained steps; the same catalogue gives the same answer. */
export const decide = async (input: DecideInput, deps: DecideDeps): Promise<Decision> => {
  if (input.task.trim() === '')
    throw new Fault('InvalidInput', 'task is empty; say what shall be done', { field: 'task' });
  const { turn = nextTurn } = deps;
  const vectors = await deps.encode?.(input.task);
  // The vectors of many tasks arrive together.
  if (vectors !== undefined) await turn();
  const request = readRequest(input.task, vectors);
  // The first decision loads tables and compiles the patterns of dates and numbers, each in its own turn.
  await turn();
  const reading = readForValues(input.task, input.now);
  await turn();
  const pool = findPool(request, input, deps);

  const scenario = inSpan('decide scenario', {}, () => classifyScenario(request, pool, deps.index.size));
  const intent = await inSpan('decide intent', {}, () => extractIntent(request, pool, deps.llm));
  const match = inSpan('decide match', {}, () =>
    matchCapabilities(
      request,
      pool,
      { intent: intent.intent, scenarios: scenario.scenarios, among: choiceOf(input, deps) },
      deps,
    ),
  );
  const evaluation = await inSpan('decide evaluate', {}, () =>
    evaluateTools(request, match.matched, reading, deps, input),
  );
  const steps: readonly Step[] = [scenario.step, intent.step, match.step, evaluation.step];

  if (evaluation.best === undefined) return nothingFits(steps, offered(evaluation.ranking, deps), input);
  const { best, coldBest } = evaluation;
  const others = offered(evaluation.ranking, deps).filter((candidate) => candidate !== best);
  const judged = await judge(best, request, reading, input, deps, evaluation.ranking);
  // Earlier requests may change the tool, but never raise the confidence above that without them.
  const cold =
    coldBest === undefined || coldBest === best
      ? judged
      : await judge(coldBest, request, reading, input, deps, evaluation.ranking);
  const { tool } = best.profile;
  const { filled, permission, valid } = judged;
  const notes = [
    ...permissionNotes(tool, permission),
    ...overrideNotes(input.task),
    ...filled.issues.map((issue) => `invalid: ${issue}`),
    ...(judged.undated ? ['a day in the task has no year, and today is not known: say the year, or send now'] : []),
    ...(cold === judged ? [] : [`chosen by an earlier request; without it ${coldBest?.profile.tool.name} would be`]),
  ];
  const confidence = Math.min(judged.confidence, cold.confidence);
  const isLikely = judged.ready && cold.ready;
  const lack = isLikely ? await deps.lacks?.(tool, filled.arguments) : undefined;
  const ready = isLikely && lack === undefined;
  return {
    steps: [...steps, filled.step],
    tool: tool.name,
    reason: best.reasons.join('; '),
    arguments: filled.arguments,
    missing: filled.missing,
    doubts: ready ? [] : doubtsOf(best, filled, request.text, lack?.parameter),
    valid,
    ready,
    confidence: round(confidence),
    alternatives: toAlternatives(others.slice(0, input.top ?? DEFAULT_TOP), evaluation.ranking),
    permission,
    notes: lack === undefined ? notes : [...notes, lack.reason],
  };
};

/** A tool's draft, with the probability that it is exactly right. */
const judge = async (
  best: Evaluated,
  request: Request,
  reading: Reading,
  input: DecideInput,
  deps: DecideDeps,
  ranking: readonly Evaluated[],
) => {
  const { tool } = best.profile;
  const filled = await inSpan('decide arguments', { tool: tool.name }, () => fillArguments(request, input, best, deps));
  const permission = deps.permission?.(tool) ?? effectivePermission(undefined, tool);
  const valid = filled.issues.length === 0 && filled.missing.length === 0;
  const evidence = {
    best,
    second: ranking
      .filter((one) => one !== best && !isAsGood(one, best))
      .sort((one, other) => other.score - one.score)[0],
    found: filled.found,
    missing: filled.missing.length + filled.issues.length,
    leftover: leftoverOf(
      best.profile,
      best.needs.slots,
      filled.found,
      reading,
      best.bonus && ((word) => isImageWord(word, tool)),
    ),
    words: request.words.length,
    chinese: /\p{Script=Han}/u.test(input.task),
  };
  deps.onEvidence?.(evidence);
  const confidence = callProbability(evidence);
  // The probability was not fitted on a model's arguments: of these every required one must be sure.
  const trusted = filled.step.by === 'model' ? filled.complete : confidence >= READY_FROM && isUnderstood(evidence);
  const undated = evidence.leftover.undated > 0;
  return { filled, permission, valid, confidence, undated, ready: valid && trusted && permission !== 'dangerous' };
};

/** Whether two image measures fit the request for the same reason, so that either is right. */
const isAsGood = ({ bonus }: Evaluated, best: Evaluated): boolean =>
  bonus !== undefined && best.bonus !== undefined && bonus.reason === best.bonus.reason;

/** The values of a draft that may be wrong, the least certain first. */
const doubtsOf = (
  { needs }: Evaluated,
  { found }: Filled,
  task: string,
  lacking: string | undefined,
): Decision['doubts'] =>
  needs.slots
    .flatMap((slot) => {
      const value = found.get(slot.name);
      const isSure = value === undefined || (value.confidence >= DOUBTFUL && !isAssumed(value));
      return value === undefined || (isSure && slot.name !== lacking) ? [] : [{ slot, value }];
    })
    .sort((one, other) => one.value.confidence - other.value.confidence)
    .slice(0, DOUBTS_SHOWN)
    .map(({ slot, value }) => ({ parameter: slot.name, value: value.value, question: questionFor(slot, task) }));

const DOUBTFUL = 0.9;
const DOUBTS_SHOWN = 5;

const nothingFits = (steps: readonly Step[], ranking: readonly Evaluated[], input: DecideInput): Decision => ({
  steps,
  tool: null,
  reason:
    ranking[0] === undefined
      ? 'no tool shares a word or a meaning with the task'
      : `no tool fits well enough; the nearest is ${ranking[0].profile.tool.name} (${Math.round(ranking[0].confidence * 100)} %)`,
  arguments: {},
  missing: [],
  doubts: [],
  valid: false,
  ready: false,
  confidence: round(1 - (ranking[0]?.confidence ?? 0)),
  alternatives: toAlternatives(ranking.slice(0, input.top ?? DEFAULT_TOP), ranking),
  notes: overrideNotes(input.task),
});

const offered = (ranking: readonly Evaluated[], deps: DecideDeps): readonly Evaluated[] =>
  ranking.filter((one) => isOffered(one, deps));

const permissionNotes = (tool: Tool, permission: 'safe' | 'confirm' | 'dangerous'): readonly string[] => {
  if (permission === 'safe') return [];
  return permission === 'confirm'
    ? [`${tool.name} runs only after a person has confirmed it`]
    : [`${tool.name} is dangerous: it is refused unless it was granted to the caller, and this draft grants nothing`];
};

/** Prompt injection is reported, never obeyed. */
const overrideNotes = (task: string): readonly string[] =>
  OVERRIDE.test(task.slice(0, 16_384))
    ? ['the task asks to ignore rules or permissions; that was taken as plain text and changes nothing']
    : [];

const OVERRIDE =
  /\b(?:ignore|disregard|override|bypass|forget|skip)\b.{0,40}\b(?:rules?|instructions?|permissions?|polic(?:y|ies)|confirmation|safety)\b|忽略.{0,12}(?:规则|指令|权限)|绕过.{0,12}(?:权限|确认|规则)/iu;
