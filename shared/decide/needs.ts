import { isObject, type JsonObject } from '../kernel/json.ts';
import type { Profile } from '../search/profile.ts';
import { splitIdentifier } from '../search/text.ts';
import { type Extraction, extract } from './arguments/extract.ts';
import type { Source } from './arguments/proposal.ts';
import type { Reading } from './arguments/reading.ts';
import { type Slot, slotsOf } from './arguments/slot.ts';
import type { SpanKind } from './arguments/span.ts';
import { tellingWords } from './telling-words.ts';

/** How well the values of a request match a tool's parameters. */
export interface Needs {
  readonly slots: readonly Slot[];
  readonly found: ReadonlyMap<string, Extraction>;
  /** Share of the required parameters that the request does not give. */
  readonly missing: number;
  /** The mean confidence of the required parameters, 0 for missing ones. */
  readonly sure: number;
  /** 1 if nothing is required, otherwise 0. */
  readonly undemanding: number;
  /** Share of the request, by weight of its words, that the tool's text and the values explain. */
  readonly explained: number;
  /** From 0 to 1, by the number of values of a kind that few parameters take. */
  readonly typed: number;
  /** For each parameter, the probability that it is right, filled or left open. */
  readonly chances: ReadonlyMap<string, number>;
  /** The kinds of the recognised values that no parameter took. */
  readonly unused: readonly SpanKind[];
  /** The margin over the next best assignment of values, in log odds; calculated for the best tools only. */
  readonly contest: () => number;
  /** As `chances`, if all other parameters are right; calculated for the best tools only. */
  readonly freeChances: () => ReadonlyMap<string, number>;
}

/** `context` has values given in addition to the task. */
export const needsOf = (
  profile: Profile,
  reading: Reading,
  context: JsonObject = {},
  weights?: Readonly<Record<string, number>>,
): Needs => {
  const slots = slotsFor(profile);
  const { found, chances, unused, contest, freeChances } = extract(
    slots,
    reading,
    new Set(profile.purpose.map(({ term }) => term)),
    weights,
  );
  const required = slots.filter((slot) => slot.required);
  const confidenceOf = (slot: Slot): number | undefined =>
    (found.get(slot.name) ?? fromContext(slot, context))?.confidence;
  const given = required.filter((slot) => confidenceOf(slot) !== undefined);
  return {
    slots,
    found,
    chances,
    contest,
    freeChances,
    unused: unused.map(({ kind }) => kind),
    explained: explainedBy(profile, [...found.values()], reading),
    typed: typedShare([...found.values()]),
    undemanding: required.length === 0 ? 1 : 0,
    missing: required.length === 0 ? 0 : 1 - given.length / required.length,
    sure: given.length === 0 ? 0 : given.reduce((sum, slot) => sum + (confidenceOf(slot) ?? 0), 0) / required.length,
  };
};

/** The share of a request's words that are in the tool's text or a value; common words weigh less. */
const explainedBy = (profile: Profile, values: readonly Extraction[], reading: Reading): number => {
  let [all, met] = [0, 0];
  for (const { term, worth, start, end } of tellingWords(reading)) {
    all += worth;
    const taken = values.some(({ at }) => at !== undefined && at.start < end && start < at.end);
    if (taken || profile.all.has(term)) met += worth;
  }
  return all === 0 ? 0 : met / all;
};

const typedShare = (values: readonly Extraction[]): number => {
  const typed = values.filter(({ source }) => source !== undefined && TYPED.has(source));
  return Math.min(1, typed.reduce((sum, { confidence }) => sum + confidence, 0) / 3);
};
const TYPED: ReadonlySet<Source> = new Set<Source>([
  'named',
  'path',
  'email',
  'url',
  'moment',
  'choice',
  'choice_list',
  'literal',
  'phone',
]);

/** The value of the context with the name and type of a parameter. */
export const fromContext = (slot: Slot, context: JsonObject): Extraction | undefined => {
  const wanted = splitIdentifier(slot.name).join('');
  for (const [key, value] of Object.entries(context)) {
    if (splitIdentifier(key).join('') === wanted && hasType(slot, value))
      return { value, confidence: 0.9, from: `context ${key}` };
  }
  return undefined;
};

const hasType = ({ type }: Slot, value: unknown): boolean => {
  if (type === 'any') return true;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isObject(value) : typeof value === type;
};

const slotsFor = (profile: Profile): readonly Slot[] => {
  const known = slotLists.get(profile);
  if (known !== undefined) return known;
  const all = slotsOf(profile.tool.parameters);
  const slots = [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
  slotLists.set(profile, slots);
  return slots;
};
const slotLists = new WeakMap<Profile, readonly Slot[]>();
