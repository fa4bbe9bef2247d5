import type { JsonObject } from '../kernel/json.ts';
import type { Tool } from '../model/tool.ts';
import { profileOf } from '../search/profile.ts';
import { type Request, readRequest } from '../search/request.ts';
import type { Extraction } from './arguments/extract.ts';
import { readForValues } from './arguments/reading.ts';
import type { Slot } from './arguments/slot.ts';
import type { ArgumentEvidence, DecideDeps, DecideInput, Missing, Step } from './decision.ts';
import type { Evaluated } from './evaluate.ts';
import { askForArguments } from './llm.ts';
import { fromContext, needsOf } from './needs.ts';
import { questionFor } from './question.ts';
import { round } from './scenario.ts';

export interface ArgumentStep extends Step {
  readonly step: 'arguments';
  readonly decided: JsonObject;
  readonly found: readonly ArgumentEvidence[];
}

export interface Filled {
  readonly step: ArgumentStep;
  readonly arguments: JsonObject;
  readonly missing: readonly Missing[];
  readonly issues: readonly string[];
  readonly found: ReadonlyMap<string, Extraction>;
  /** Every required argument is there and sure. */
  readonly complete: boolean;
}

/** Below this confidence a value is marked as unsure. */
const SURE = 0.5;

/** The arguments of a tool that has been chosen already. */
export const argumentsFor = async (input: DecideInput, tool: Tool, deps: DecideDeps): Promise<Filled> => {
  const profile = profileOf(tool);
  const needs = needsOf(profile, readForValues(input.task, input.now), input.context, deps.argumentWeights);
  return fillArguments(readRequest(input.task), input, { profile, needs }, deps);
};

/** Step 5: arguments from the request and the context, typed and checked, with questions for the missing ones. */
export const fillArguments = async (
  request: Request,
  input: DecideInput,
  { profile, needs }: Pick<Evaluated, 'profile' | 'needs'>,
  deps: DecideDeps,
): Promise<Filled> => {
  const { tool } = profile;
  const context = input.context ?? {};
  const asked = deps.llm === undefined ? undefined : await askForArguments(deps.llm, request.text, context, tool);
  const byModel = asked?.arguments === undefined ? undefined : modelValues(asked.arguments, needs.slots);
  const findIssues = (value: JsonObject): readonly string[] =>
    (deps.validate?.(tool, value) ?? []).map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  // A model's arguments are used only if they match the schema, apart from required ones that it left open.
  const usable = byModel !== undefined && findIssues(toValues(byModel)).every((issue) => issue.includes('required'));
  const found = merged(needs, context, usable ? byModel : undefined);
  const values = toValues(found);
  const missing = needs.slots.filter((slot) => slot.required && !found.has(slot.name) && slot.default === undefined);
  const issues = findIssues(values);
  const evidence = Array.from(found, ([parameter, { value, confidence, from, how }]) => ({
    parameter,
    value,
    confidence: round(confidence),
    from,
    how,
    sure: confidence >= SURE,
  }));
  const required = evidence.filter(({ parameter }) =>
    needs.slots.some((slot) => slot.name === parameter && slot.required),
  );
  const notes = [
    ...(asked?.note === undefined ? [] : [asked.note]),
    ...(byModel !== undefined && !usable
      ? ["the model's arguments do not match the schema; the rules filled them in"]
      : []),
  ];
  return {
    arguments: values,
    missing: missing.map((slot) => ({ parameter: slot.name, question: questionFor(slot, request.text) })),
    issues,
    found,
    complete: missing.length === 0 && required.every(({ sure }) => sure),
    step: {
      step: 'arguments',
      by: usable ? 'model' : 'rules',
      decided: values,
      found: evidence,
      evidence: evidence.map(
        ({ parameter, from, how, sure }) =>
          `${parameter}: "${from.slice(0, 80)}"${how === undefined ? '' : ` (${how})`}${sure ? '' : ' (unsure)'}`,
      ),
      confidence: round(missing.length > 0 ? 0 : Math.min(1, ...required.map(({ confidence }) => confidence))),
      candidates: { before: 1, after: 1 },
      notes: notes.length === 0 ? undefined : notes,
    },
  };
};

/** Values of the request, unless unsure, take precedence over the context; a model's values replace the rules'. */
const merged = (
  { slots, found }: Evaluated['needs'],
  context: JsonObject,
  byModel: ReadonlyMap<string, Extraction> | undefined,
): ReadonlyMap<string, Extraction> => {
  const all = new Map<string, Extraction>();
  for (const slot of slots) {
    const given = fromContext(slot, context);
    const said = byModel?.get(slot.name) ?? (byModel === undefined ? found.get(slot.name) : undefined);
    const value = said !== undefined && (said.confidence >= SURE || given === undefined) ? said : (given ?? said);
    if (value !== undefined) all.set(slot.name, value);
  }
  return all;
};

const modelValues = (given: JsonObject, slots: readonly Slot[]): ReadonlyMap<string, Extraction> =>
  new Map(
    slots.flatMap((slot) => {
      const value = given[slot.name];
      if (value === undefined || value === null) return [];
      return [[slot.name, { value, confidence: 0.85, from: 'the model' }] as const];
    }),
  );

const toValues = (found: ReadonlyMap<string, Extraction>): JsonObject =>
  Object.fromEntries(Array.from(found, ([name, { value }]) => [name, value]));
