import type { Decision } from '../../decide/decision.ts';
import { Fault } from '../../kernel/errors.ts';
import type { JsonObject, JsonSchema } from '../../kernel/json.ts';
import type { PlanInput } from '../../model/plan.ts';
import type { Tool } from '../../model/tool.ts';
import { referencesIn } from '../reference.ts';
import { fanOut } from './fan-out.ts';
import { bestLink, type Source } from './link.ts';
import { isPointer, refersTo } from './refer.ts';
import { type Clause, type IsAction, splitTask } from './split.ts';

export interface PlanTaskDeps {
  readonly decide: (task: string) => Promise<Decision>;
  /** The arguments that a text gives for a tool that has been chosen. */
  readonly fill: (task: string, tool: Tool) => Promise<Pick<Decision, 'arguments' | 'missing'>>;
  readonly tool: (name: string) => Tool | undefined;
  readonly isAction: IsAction;
}

export interface PlannedStep {
  readonly id: string;
  readonly text: string;
  readonly tool: string;
  readonly confidence: number;
  readonly reason: string;
}

/** A draft; when nothing is missing, `plan` can be submitted. */
export interface PlannedTask {
  readonly plan: Pick<PlanInput, 'nodes'> | { readonly nodes: readonly DraftNode[] };
  readonly steps: readonly PlannedStep[];
  readonly missing: readonly { readonly node: string; readonly parameter: string; readonly question: string }[];
  readonly ready: boolean;
}

export interface DraftNode {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly after: readonly string[];
}

interface Drafted {
  readonly node: DraftNode;
  readonly tool: Tool;
  readonly stage: number;
  readonly step: PlannedStep;
  readonly missing: PlannedTask['missing'];
  readonly isSure: boolean;
}

/** Plans a request of several steps: each is decided by itself, and takes missing arguments from earlier ones. */
export const planTask = async (task: string, deps: PlanTaskDeps): Promise<PlannedTask> => {
  if (task.trim() === '') throw new Fault('InvalidInput', 'task is empty; say what shall be done', { field: 'task' });
  const drafted: Drafted[] = [];
  let stage = 0;
  const clauses = splitTask(task, deps.isAction);
  for (const [index, clause] of clauses.entries()) {
    if (index > 0 && clause.joined === 'then') stage++;
    // A step of several leaves out what the others say, so its fit may be lower than that of a request on its own.
    const least = index > 0 ? LEAST_FIT.later : clauses.length > 1 ? LEAST_FIT.first : LEAST_FIT.alone;
    for (const decided of await decideClause(clause, deps, least)) drafted.push(draft(decided, clause, stage, drafted));
  }
  const missing = drafted.flatMap((one) => one.missing);
  return {
    plan: { nodes: drafted.map(({ node }) => node) },
    steps: drafted.map(({ step }) => step),
    missing,
    ready: missing.length === 0 && drafted.every(({ isSure }) => isSure),
  };
};

const LEAST_FIT = { alone: 1, first: 0.2, later: 0.01 } as const;

interface Decided {
  readonly text: string;
  readonly decision: Decision & { readonly tool: string };
  readonly tool: Tool;
}

/** Decides a clause; a list in it becomes one call per item when a single call cannot take the list. */
const decideClause = async (clause: Clause, deps: PlanTaskDeps, least: number): Promise<readonly Decided[]> => {
  const whole = await decideOne(clause.text, deps, least);
  const parts = fanOut(clause.text);
  if (parts.length < 2 || takesList(whole)) return [whole];
  const each = await Promise.all(
    parts.map(async (text) => ({
      ...whole,
      text,
      decision: { ...whole.decision, ...(await deps.fill(text, whole.tool)) },
    })),
  );
  const given = new Set(each.map(({ decision }) => JSON.stringify(decision.arguments)));
  return each.every(isFilled) && given.size === parts.length ? each : [whole];
};

const isFilled = ({ decision }: Decided): boolean => decision.missing.length === 0;

const takesList = ({ decision }: Decided): boolean =>
  Object.values(decision.arguments).some((value) => Array.isArray(value) && value.length > 1);

// File names say nothing about the action: `save it to diff.txt` does not ask for a comparison.
const FILE_NAME = /(?<![\w/:.@-])[\w-]+(?=\.[A-Za-z]{2,4}\b(?![\w@]))/g;

const decideOne = async (text: string, deps: PlanTaskDeps, least: number): Promise<Decided> => {
  const plain = text.replace(FILE_NAME, 'file');
  const decision = await deps.decide(plain);
  const [nearest] = decision.alternatives;
  const name = decision.tool ?? (nearest && nearest.fits >= least ? nearest.tool : undefined);
  const tool = name === undefined ? undefined : deps.tool(name);
  if (!tool)
    throw new Fault('InvalidInput', `no tool fits the step ${JSON.stringify(text.slice(0, 200))}: ${decision.reason}`, {
      step: text,
      alternatives: decision.alternatives.map((other) => other.tool),
    });
  const filled = decision.tool === null || plain !== text ? await deps.fill(text, tool) : {};
  const confidence = decision.tool === null ? (nearest?.fits ?? 0) : decision.confidence;
  return { text, decision: { ...decision, ...filled, confidence, tool: tool.name }, tool };
};

const draft = (
  { text, decision, tool }: Decided,
  clause: Clause,
  stage: number,
  before: readonly Drafted[],
): Drafted => {
  const id = idOf(tool.name, before);
  const sources = sourcesOf(clause, tool, stage, before);
  const pointed = refersTo(text);
  const required = listRequired(tool);
  // Doubtful arguments are dropped where an earlier step may supply them.
  const isPointing = sources.length > 0 && (pointed !== undefined || (stage > 0 && clause.joined === 'then'));
  // The whole text of a step is a guess rather than a value, if the parameter is optional or an earlier step may supply
  // it. So is the number read from words for several results (`both`, `两者`).
  const isGuess = (name: string, value: unknown) =>
    (value === text.trim() && (isPointing || !required.includes(name))) ||
    (pointed === 'many' && typeof value === 'number' && !required.includes(name));
  const doubted = new Set(isPointing ? decision.doubts.map(({ parameter }) => parameter) : []);
  const taken: Record<string, unknown> = Object.fromEntries(
    Object.entries(decision.arguments).filter(
      ([name, value]) => !isPointer(value) && !isGuess(name, value) && !doubted.has(name),
    ),
  );
  const wanted = required.filter((parameter) => !(parameter in taken));
  const least = pointed !== undefined || clause.joined === 'then' ? LEAST_LINK : SURE_LINK;
  const used = linkAll(wanted, tool, pointed === 'many' ? sources.toReversed() : sources, taken, least);
  const open = wanted.filter((parameter) => !(parameter in taken));
  const isOrdered = clause.joined === 'then' && used.size === 0 && stage > 0;
  return {
    node: { id, tool: tool.name, arguments: taken, after: isOrdered ? lastStage(stage, before) : [] },
    tool,
    stage,
    step: { id, text, tool: tool.name, confidence: decision.confidence, reason: decision.reason },
    missing: open.map((parameter) => ({
      node: id,
      parameter,
      question: decision.missing.find((one) => one.parameter === parameter)?.question ?? `What is the ${parameter}?`,
    })),
    isSure: open.length === 0 && (used.size > 0 || decision.ready || wanted.length === 0),
  };
};

const LEAST_LINK = 0.25;
const SURE_LINK = 0.5;

/** Fills the missing parameters from earlier steps: from each step once, its result or else its own argument. */
const linkAll = (
  wanted: readonly string[],
  tool: Tool,
  sources: readonly Linkable[],
  taken: Record<string, unknown>,
  least: number,
): ReadonlySet<string> => {
  const used = new Set<string>();
  const schemas = (tool.parameters.properties ?? {}) as Record<string, JsonSchema>;
  const offers = wanted
    .flatMap((parameter) => sources.map((source) => findOffer(source, parameter, schemas[parameter] ?? {}, least)))
    .filter((offer) => offer !== undefined)
    // Links above the sure score rank equally; then the nearest step counts, which is first in `sources`.
    .sort(
      (a, b) =>
        Math.min(b.score, SURE_LINK) - Math.min(a.score, SURE_LINK) || placeOf(a, sources) - placeOf(b, sources),
    );
  for (const { parameter, source, value } of offers) {
    if (parameter in taken || used.has(source)) continue;
    taken[parameter] = value;
    used.add(source);
  }
  return used;
};

const placeOf = ({ source }: Offer, sources: readonly Linkable[]): number =>
  sources.findIndex(({ id }) => id === source);

interface Offer {
  readonly parameter: string;
  readonly source: string;
  readonly value: unknown;
  readonly score: number;
}

/** What an earlier step offers for a parameter: its result, or else its own argument of that name. */
const findOffer = (source: Linkable, parameter: string, schema: JsonSchema, least: number): Offer | undefined => {
  const link = bestLink(source, parameter, schema);
  const subject = source.least > 0 || least > LEAST_LINK ? undefined : source.arguments[parameter];
  const isSure = link !== undefined && link.score >= SURE_LINK;
  const about = { parameter, source: source.id };
  if (subject !== undefined && !isSure) return { ...about, value: subject, score: SURE_LINK };
  if (link === undefined || link.score < Math.max(least, source.least)) return undefined;
  return { ...about, value: link.value, score: link.score };
};

interface Linkable extends Source {
  readonly arguments: JsonObject;
  /** The least score of a link to its result. */
  readonly least: number;
}

/** The steps whose results a clause may use, nearest first, without those already used within their own stage. */
const sourcesOf = (clause: Clause, tool: Tool, stage: number, before: readonly Drafted[]): readonly Linkable[] => {
  const heads = before.filter((one) => !before.some((other) => other.stage === one.stage && uses(other, one.node.id)));
  const earlier = heads.filter((one) => one.stage < stage).toReversed();
  const siblings = before.filter((one) => one.stage === stage).toReversed();
  // In `then hash it and count its words` both use the earlier result; in `then translate it and send it`, the second
  // uses the first, whose result fits exactly.
  const isBeside = clause.joined === 'and' && earlier.length > 0;
  // In `into French and into German` the same tool is applied twice to the same input.
  const beside = isBeside ? siblings.filter((one) => one.tool !== tool) : siblings;
  return [...beside.map(linkable(isBeside ? SURE_LINK : 0)), ...earlier.map(linkable(0))];
};

const linkable =
  (least: number) =>
  ({ node, tool }: Drafted): Linkable => ({ id: node.id, tool, arguments: node.arguments, least });

const uses = ({ node }: Drafted, id: string): boolean =>
  referencesIn(node.arguments, node.id).some(({ source }) => source === id);

const lastStage = (stage: number, before: readonly Drafted[]): readonly string[] =>
  before.filter((one) => one.stage === stage - 1).map(({ node }) => node.id);

const listRequired = ({ parameters }: Tool): readonly string[] =>
  Array.isArray(parameters.required) ? parameters.required.map(String) : [];

const idOf = (tool: string, before: readonly Drafted[]): string => {
  const base = tool.replaceAll('.', '_').slice(0, 48);
  const count = before.filter(({ node }) => node.tool === tool).length;
  return count === 0 ? base : `${base}_${count + 1}`;
};
